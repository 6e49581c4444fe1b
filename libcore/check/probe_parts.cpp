#include "libcore/check/probe_parts.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

bool comparable(const Type& type) { return type.kind == Type::Kind::tensor && is_float(type.dtype); }

bool may_be_equal(const Type& a, const Type& b) {
    if (a.kind != b.kind || a.kind != Type::Kind::tensor || is_float(a.dtype) != is_float(b.dtype)) return false;
    if (!a.shape.ranked || !b.shape.ranked) return true;
    return std::ranges::equal(a.shape.dims, b.shape.dims,
                              [](const Dim& x, const Dim& y) { return !x.known() || !y.known() || x.value == y.value; });
}

// Disjoint sets of nodes.
class Sets {
   public:
    explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
    size_t find(size_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(size_t a, size_t b) { parent_[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

   private:
    std::vector<size_t> parent_;
};

double macs_of(const Graph& graph, const Node& node) {
    if (!node.op->cost) return 0;
    std::vector<Dims> in, out;
    for (const auto& [ids, to] : {std::pair(std::vector<ValueId>(node.in.begin(), node.in.end()), &in), std::pair(node.out, &out)})
        for (const ValueId id : ids) {
            const auto dims = id == ValueId::none ? Dims{} : graph.value(id).type.shape.concrete();
            if (!dims) return 0;
            to->push_back(*dims);
        }
    return node.op->cost({node, in, out}).macs;
}

// Of values that are computed.
void drop_grids(Graph& graph) {
    for (size_t i = 0; i < graph.value_count(); ++i)
        if (Value& value = graph.value(static_cast<ValueId>(i)); !value.constant()) value.enc.reset();
}

ValueId namesake(const Graph& exact, const Value& value) {
    const ValueId found = exact.find(value.name);
    const bool fits = found != ValueId::none && !exact.value(found).constant() && may_be_equal(value.type, exact.value(found).type);
    return fits ? found : ValueId::none;
}

void match_interface(const Graph& exact, const std::vector<ValueId>& of, const Graph& quantized, const std::vector<ValueId>& wanted,
                     std::string_view what, std::vector<ValueId>& to) {
    const std::vector<size_t> places = places_of(exact, of, quantized, wanted, what);
    for (size_t i = 0; i < wanted.size(); ++i)
        if (may_be_equal(quantized.value(wanted[i]).type, exact.value(of[places[i]]).type)) to[index_of(wanted[i])] = of[places[i]];
}

}  // namespace

ValueId NodeCopier::add_like(ValueId id) {
    const Value& value = from_.value(id);
    const ValueId made = to_.add_value(to_.unique_name(value.name), value.type);
    Value& copy = to_.value(made);
    copy.permutation = value.permutation;
    if (value.constant() || with_encodings_) copy.enc = value.enc;
    copy.data = value.data;
    return made;
}

ValueId NodeCopier::of(ValueId id) {
    if (id == ValueId::none) return id;
    if (const auto found = map_.find(id); found != map_.end()) return found->second;
    const bool constant = from_.value(id).constant();
    if (constant)
        if (const auto found = constants_->find(id); found != constants_->end()) return found->second;
    const ValueId made = add_like(id);
    (constant ? *constants_ : map_)[id] = made;
    return made;
}

void NodeCopier::copy(NodeId id) {
    const Node& node = from_.node(id);
    std::vector<ValueId> in, out;
    for (const ValueId value : node.in) in.push_back(of(value));
    for (const ValueId value : node.out) out.push_back(of(value));
    const NodeId made = to_.add_node(node.op, to_.unique_node_name(node.name), std::move(in), std::move(out), node.attrs);
    to_.node(made).scope = node.scope;
    to_.node(made).internal = node.internal;
    for (size_t b = 0; b < node.bodies.size(); ++b) {
        Graph body = node.bodies[b];
        for (Graph::Capture& capture : body.captures) {
            capture.outer = of(capture.outer);
            if (!with_encodings_) body.value(capture.inner).enc.reset();
        }
        if (!rounds_in_bodies_) for_each_graph(body, [](Graph& part, const std::string&) { drop_grids(part); });
        to_.add_body(made, node.body_names[b], std::move(body));
    }
}

std::vector<size_t> places_of(const Graph& exact, const std::vector<ValueId>& of, const Graph& quantized,
                              const std::vector<ValueId>& wanted, std::string_view what) {
    std::vector<size_t> order;
    std::string missing;
    for (const ValueId id : wanted) {
        const std::string& name = quantized.value(id).name;
        const auto found = std::ranges::find_if(of, [&](ValueId i) { return exact.value(i).name == name; });
        if (found == of.end() && missing.empty()) missing = name;
        order.push_back(static_cast<size_t>(found - of.begin()));
    }
    if (missing.empty()) return order;
    if (of.size() != wanted.size())
        throw bad_input("the quantized model's {} \"{}\" is not an {} of the float model, which has {} of them, not {}", what,
                        escape(missing), what, of.size(), wanted.size());
    std::iota(order.begin(), order.end(), size_t{0});
    return order;
}

std::vector<ValueId> counterparts(const Graph& exact, const Graph& quantized) {
    std::vector<ValueId> to(quantized.value_count(), ValueId::none);
    for (size_t i = 0; i < to.size(); ++i)
        if (const Value& value = quantized.value(static_cast<ValueId>(i)); !value.erased && !value.constant())
            to[i] = namesake(exact, value);
    match_interface(exact, exact.inputs, quantized, quantized.inputs, "input", to);
    match_interface(exact, exact.outputs, quantized, quantized.outputs, "output", to);
    for (const NodeId id : quantized.order()) {
        const Node& node = quantized.node(id);
        if (!node.is(ops::own::Recode) || node.in[0] == ValueId::none || node.out[0] == ValueId::none) continue;
        ValueId& own = to[index_of(node.out[0])];
        if (own == ValueId::none) own = to[index_of(node.in[0])];
    }
    return to;
}

std::vector<std::vector<NodeId>> groups_between(const Graph& quantized, const std::vector<ValueId>& counterpart) {
    const support::Units units = support::units_of(quantized);
    Sets sets(units.members.size());
    for (const NodeId id : quantized.order())
        for (const ValueId read : support::values_read(quantized.node(id))) {
            const NodeId maker = quantized.value(read).producer;
            if (maker != NodeId::none && counterpart[index_of(read)] == ValueId::none)
                sets.join(units.of[index_of(maker)], units.of[index_of(id)]);
        }
    std::map<size_t, std::vector<NodeId>> by_set;
    std::vector<size_t> last_first;  // sets, backwards by their last nodes
    const std::vector<NodeId>& order = quantized.order();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const size_t set = sets.find(units.of[index_of(*it)]);
        if (!by_set.contains(set)) last_first.push_back(set);
        by_set[set].push_back(*it);
    }
    std::vector<std::vector<NodeId>> groups;
    for (auto it = last_first.rbegin(); it != last_first.rend(); ++it) {
        groups.push_back(std::move(by_set[*it]));
        std::ranges::reverse(groups.back());
    }
    return groups;
}

ProbedUnit describe_unit(const Graph& quantized, const std::vector<NodeId>& nodes) {
    ProbedUnit unit;
    const Node* speaker = nullptr;
    for (const NodeId id : nodes) {
        const Node& node = quantized.node(id);
        unit.nodes.push_back(node.name);
        unit.macs += macs_of(quantized, node);
        const int weight = weight_input(quantized, node);
        if (weight >= 0 && (!speaker || weight_input(quantized, *speaker) < 0)) {
            speaker = &node;
            const Value& constant = quantized.value(node.in[static_cast<size_t>(weight)]);
            unit.per_tensor = constant.enc && constant.enc->per_tensor();
        }
        for (const ValueId read : node.in) {
            if (read == ValueId::none || !quantized.value(read).constant() || !comparable(quantized.value(read).type)) continue;
            const auto dims = quantized.value(read).type.shape.concrete();
            unit.weights += dims ? static_cast<uint64_t>(count_of(*dims)) : 0;
            unit.weighted = unit.weighted || quantized.value(read).enc.has_value();
        }
        for (const Graph& body : node.bodies) unit.bodies = unit.bodies || has_encodings(body);
        unit.weighted = unit.weighted || !node.internal.empty() || unit.bodies;
    }
    if (!speaker) speaker = &quantized.node(nodes.front());
    unit.name = speaker->name;
    unit.op = std::string(speaker->op->name);
    return unit;
}

}  // namespace quern
