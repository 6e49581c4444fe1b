// Moves a whole graph between channels-first (NCHW) and channels-last (NHWC). Operators over channels and space get the attribute
// `layout`; elementwise operators and those along an axis follow their inputs; everyone else, and the graph's inputs and outputs, keep
// the source order, with a Transpose where the two meet. A moved value keeps its name and carries its permutation from the source.
#include <algorithm>
#include <map>
#include <set>

#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Order = std::vector<int64_t>;

bool has_attr(const Op& op, std::string_view name) {
    return std::any_of(op.attrs.begin(), op.attrs.end(), [&](const AttrDef& def) { return def.name == name; });
}

// Dim i of the result is dim order[i] of the source.
Order order_to(bool channels_last, size_t rank) {
    Order order{0};
    const auto last = static_cast<int64_t>(rank) - 1;
    if (!channels_last) order.push_back(last);
    for (int64_t i = channels_last ? 2 : 1; i < (channels_last ? last + 1 : last); ++i) order.push_back(i);
    if (channels_last) order.push_back(1);
    return order;
}

int position_of(const Order& order, int64_t axis) { return static_cast<int>(std::find(order.begin(), order.end(), axis) - order.begin()); }

template <class T>
std::vector<T> permuted(const std::vector<T>& items, const Order& order) {
    std::vector<T> out;
    for (const int64_t i : order) out.push_back(items[static_cast<size_t>(i)]);
    return out;
}

class Mover {
   public:
    Mover(Graph& graph, bool channels_last) : graph_(graph), last_(channels_last), wish_(channels_last ? "NHWC" : "NCHW") {}

    int run() {
        for (const NodeId id : graph_.topo())
            if (moves(graph_.node(id))) {
                nodes_.push_back(id);
                for (const ValueId out : graph_.node(id).out)
                    if (out != ValueId::none) moved_.insert(out);
            }
        if (nodes_.empty()) return 0;
        const std::set<NodeId> members(nodes_.begin(), nodes_.end());
        for (const ValueId id : moved_) move_value(id);
        for (const NodeId id : nodes_) rewrite(id);
        for (const NodeId id : std::vector<NodeId>(graph_.order()))
            if (!members.contains(id)) read_in_source_order(id);
        give_outputs();
        graph_.sort();
        return static_cast<int>(nodes_.size());
    }

   private:
    size_t rank_of(ValueId id) const { return graph_.value(id).type.shape.rank(); }
    bool is_ranked(ValueId id) const { return graph_.value(id).type.kind == Type::Kind::tensor && graph_.value(id).type.shape.ranked; }
    bool is_single(ValueId id) const {
        const auto dims = graph_.value(id).type.shape.concrete();
        return dims && count_of(*dims) == 1;
    }
    bool can_permute(ValueId id) const {  // a constant whose elements are whole bytes
        const Value& value = graph_.value(id);
        return value.constant() && bits_of(value.storage()) >= 8 && value.type.dtype != DType::string &&
               (!value.enc || value.enc->block == 0);
    }

    bool moves(const Node& node) const {
        if (node.out.empty() || node.in.empty() || node.in[0] == ValueId::none || !node.bodies.empty()) return false;
        for (const ValueId out : node.out)
            if (out != ValueId::none && (!is_ranked(out) || rank_of(out) < 3)) return false;
        if (node.op->layout == Layout::spatial) return moves_spatial(node);
        if (node.op->layout == Layout::agnostic && has(node.op->traits, Trait::elementwise)) return follows(node, node.in.size(), true);
        if (node.op->layout == Layout::axis && has_attr(*node.op, "axis"))
            return follows(node, is_op(node, "Concat") ? node.in.size() : 1, false);
        return false;
    }

    bool moves_spatial(const Node& node) const {
        if (!has_attr(*node.op, "layout") || NodeView(node).text("layout") == wish_) return false;
        if (!is_ranked(node.in[0]) || rank_of(node.in[0]) < 3) return false;
        if (node.out.size() > 1 && node.out[1] != ValueId::none) return false;  // MaxPool's indices count in source order
        return !is_op(node, "Conv") || (can_permute(node.in[1]) && rank_of(node.in[1]) == rank_of(node.in[0]));
    }

    // Every data input is moved, or a constant that can be; at least one is moved.
    bool follows(const Node& node, size_t data_inputs, bool broadcasts) const {
        const size_t rank = rank_of(node.out[0]);
        bool any = false;
        for (size_t i = 0; i < data_inputs; ++i) {
            const ValueId in = node.in[i];
            if (in == ValueId::none) continue;
            if (moved_.contains(in)) {
                if (rank_of(in) != rank) return false;
                any = true;
            } else if (!(broadcasts && is_ranked(in) && is_single(in)) && !can_permute(in)) {
                return false;
            }
        }
        return any;
    }

    void remember(Value& value, const Order& order) const {
        std::vector<int> before = value.permutation;
        if (before.empty())
            for (size_t i = 0; i < order.size(); ++i) before.push_back(static_cast<int>(i));
        value.permutation = permuted(before, order);
        if (std::is_sorted(value.permutation.begin(), value.permutation.end())) value.permutation.clear();
        if (value.enc && value.enc->axis >= 0) value.enc->axis = position_of(order, value.enc->axis);
    }

    void move_value(ValueId id) {
        Value& value = graph_.value(id);
        const Order order = order_to(last_, value.type.shape.rank());
        value.type.shape.dims = permuted(value.type.shape.dims, order);
        remember(value, order);
    }

    // A constant operand of rank `rank`; shorter ones are broadcast, so that leading dims of 1 are put before them.
    ValueId moved_constant(ValueId id, size_t rank) {
        const auto key = std::pair(id, rank);
        if (const auto found = constants_.find(key); found != constants_.end()) return found->second;
        Tensor tensor = *graph_.constant(id);
        const size_t missing = rank - tensor.dims.size();
        tensor.dims.insert(tensor.dims.begin(), missing, 1);
        const Order order = order_to(last_, rank);
        tensor = quern::permuted(tensor, order);
        const auto uses = graph_.uses(id);
        const bool alone = std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return use.node == uses[0].node; });
        const Value source = graph_.value(id);
        ValueId target = id;
        if (!alone) {
            target = graph_.add_value(graph_.unique_name(source.name + (last_ ? "_nhwc" : "_nchw")), source.type);
            graph_.value(target).enc = source.enc;
        }
        Value& value = graph_.value(target);
        value.type.shape = Shape::of(tensor.dims);
        value.data = tensor.data;
        if (value.enc && value.enc->axis >= 0) value.enc->axis += static_cast<int>(missing);
        remember(value, order);
        return constants_[key] = target;
    }

    // `id` through a Transpose; one for all that need it.
    ValueId transposed(ValueId id, bool to_last, std::map<ValueId, ValueId>& known) {
        if (const auto found = known.find(id); found != known.end()) return found->second;
        const Value& value = graph_.value(id);
        const Order order = order_to(to_last, value.type.shape.rank());
        Type type = value.type;
        type.shape.dims = permuted(type.shape.dims, order);
        const ValueId out = graph_.add_value(graph_.unique_name(value.name + (to_last ? "_nhwc" : "_nchw")), type);
        if (const auto& enc = graph_.value(id).enc) {
            graph_.value(out).enc = enc;
            if (enc->axis >= 0) graph_.value(out).enc->axis = position_of(order, enc->axis);
        }
        graph_.add_node(need_op("Transpose"), graph_.unique_node_name(graph_.value(out).name), {id}, {out}, {{"perm", order}});
        return known[id] = out;
    }

    void rewrite(NodeId id) {
        const bool spatial = graph_.node(id).op->layout == Layout::spatial;
        const size_t rank = rank_of(spatial ? graph_.node(id).in[0] : graph_.node(id).out[0]);
        const size_t data_inputs = spatial ? (is_op(graph_.node(id), "Conv") ? 2 : 1)
                                   : graph_.node(id).op->layout == Layout::agnostic || is_op(graph_.node(id), "Concat")
                                       ? graph_.node(id).in.size()
                                       : 1;
        for (size_t i = 0; i < data_inputs; ++i) {
            const ValueId in = graph_.node(id).in[i];
            if (in == ValueId::none || moved_.contains(in)) continue;
            if (!graph_.value(in).constant())
                graph_.node(id).in[i] = is_single(in) && !spatial ? in : transposed(in, last_, forward_);
            else if (spatial || !is_single(in))
                graph_.node(id).in[i] = moved_constant(in, rank);
        }
        Node& node = graph_.node(id);
        if (spatial) {
            if (last_)
                node.attrs["layout"] = std::string(wish_);
            else
                node.attrs.erase("layout");
        } else if (node.op->layout == Layout::axis) {
            const auto axis = static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), rank));
            node.attrs["axis"] = static_cast<int64_t>(position_of(order_to(last_, rank), axis));
        }
    }

    void read_in_source_order(NodeId id) {
        for (size_t i = 0; i < graph_.node(id).in.size(); ++i) {
            const ValueId in = graph_.node(id).in[i];
            if (in != ValueId::none && moved_.contains(in)) {
                const ValueId plain = transposed(in, !last_, backward_);
                graph_.node(id).in[i] = plain;
            }
        }
        for (Graph& body : graph_.node(id).bodies)
            for (Graph::Capture& capture : body.captures)
                if (moved_.contains(capture.outer)) capture.outer = transposed(capture.outer, !last_, backward_);
    }

    // A graph output keeps name and order: the moved value behind it is the one that is renamed.
    void give_outputs() {
        for (ValueId& output : graph_.outputs) {
            if (!moved_.contains(output)) continue;
            const std::string name = graph_.value(output).name;
            const ValueId plain = transposed(output, !last_, backward_);
            graph_.rename(output, graph_.unique_name(name + (last_ ? "_nhwc" : "_nchw") + "_inner"));
            graph_.rename(plain, name);
            output = plain;
        }
    }

    Graph& graph_;
    bool last_;
    std::string_view wish_;
    std::vector<NodeId> nodes_;
    std::set<ValueId> moved_;
    std::map<ValueId, ValueId> forward_, backward_;
    std::map<std::pair<ValueId, size_t>, ValueId> constants_;
};

}  // namespace

constinit const Pass move_layout{"move_layout", "move to channels-last (NHWC)",
                                 [](Graph& graph) { return on_every_graph(graph, [](Graph& g) { return Mover(g, true).run(); }); }, 1e-5f,
                                 false};
constinit const Pass move_layout_back{"move_layout_back", "move to channels-first (NCHW)",
                                      [](Graph& graph) { return on_every_graph(graph, [](Graph& g) { return Mover(g, false).run(); }); },
                                      1e-5f, false};

}  // namespace quern
