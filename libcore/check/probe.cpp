#include "libcore/check/probe.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/check/probe_parts.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/collect/slots.h"

namespace quern {
namespace {

bool is_number(const Value& value) { return value.type.kind == Type::Kind::tensor && is_float(value.type.dtype); }

class Maker {
   public:
    Maker(const Graph& exact, const Graph& quantized)
        : exact_(exact),
          quantized_(quantized),
          counterpart_(counterparts(exact, quantized)),
          floats_(exact, probe_.graph, false),
          stored_(quantized, probe_.graph, true),
          value_of_(quantized.value_count()) {
        stored_.share_constants(constants_);
    }

    Probe make() && {
        probe_.graph.metadata = quantized_.metadata;
        add_inputs();
        std::map<NodeId, size_t> group_of_last;
        const auto groups = groups_between(quantized_, counterpart_);
        for (size_t g = 0; g < groups.size(); ++g) group_of_last[groups[g].back()] = g;
        for (const NodeId id : quantized_.order()) {
            for (const ValueId out : quantized_.node(id).out)  // what it is compared with comes first
                if (out != ValueId::none && probed(out)) source_of(counterpart_[index_of(out)]);
            stored_.copy(id);
            if (const auto found = group_of_last.find(id); found != group_of_last.end()) add_unit(groups[found->second]);
        }
        mark_outputs();
        infer_types(probe_.graph);
        verify(probe_.graph);
        return std::move(probe_);
    }

   private:
    // The graph's inputs are those of the float model; the quantized model reads them through a change of encoding.
    void add_inputs() {
        for (const ValueId id : exact_.inputs) {
            floats_.bind(id, floats_.add_like(id));
            probe_.graph.inputs.push_back(floats_.of(id));
        }
        for (const ValueId id : quantized_.inputs) {
            const ValueId own = counterpart_[index_of(id)];
            if (own == ValueId::none || !exact_.is_input(own))
                throw bad_input("the quantized model's input \"{}\" is not an input of the float model", escape(quantized_.value(id).name));
            if (!quantized_.value(id).enc) {
                stored_.bind(id, floats_.of(own));
                if (is_number(quantized_.value(id))) value_of_[index_of(id)] = add_value(id);
                continue;
            }
            value_of_[index_of(id)] = add_value(id);
            const ValueId made = stored_.of(id);
            recode(floats_.of(own), made);
            tap(made, {Tap::Kind::stored, *value_of_[index_of(id)]});
        }
    }

    void recode(ValueId from, ValueId to) {
        const std::string name = probe_.graph.unique_node_name(probe_.graph.value(to).name + "_Recode");
        probe_.graph.add_node(need_op(ops::own::Recode), name, {from}, {to});
    }

    // It is seen and kept alive until then: the shape of it is an output of the probe.
    void tap(ValueId id, Tap what) {
        Graph& graph = probe_.graph;
        if (!probe_.taps.emplace(graph.value(id).name, what).second) return;
        const ValueId shape = graph.add_value(graph.unique_name("shape of " + graph.value(id).name), Type::tensor(DType::i64));
        graph.add_node(need_op("Shape"), graph.unique_node_name("Shape"), {id}, {shape});
        graph.outputs.push_back(shape);
    }

    // Computes the float model up to what makes `id`.
    void reach(ValueId id) {
        const NodeId maker = exact_.value(id).producer;
        if (maker == NodeId::none) return;
        const std::vector<NodeId>& order = exact_.order();
        while (!reached_.contains(maker)) {
            floats_.copy(order[next_]);
            reached_.insert(order[next_++]);
        }
    }

    size_t source_of(ValueId own) {
        const auto [found, fresh] = source_.emplace(own, probe_.sources.size());
        if (fresh) {
            reach(own);
            probe_.sources.push_back(probe_.graph.value(floats_.of(own)).name);
            tap(floats_.of(own), {Tap::Kind::source, found->second});
        }
        return found->second;
    }

    size_t add_value(ValueId id) {
        const Value& value = quantized_.value(id);
        ProbedValue made{.name = value.name, .enc = value.enc};
        made.source = source_of(counterpart_[index_of(id)]);
        made.axis = channel_axis(quantized_, id);
        probe_.values.push_back(std::move(made));
        return probe_.values.size() - 1;
    }

    bool probed(ValueId id) const { return counterpart_[index_of(id)] != ValueId::none && is_number(quantized_.value(id)); }

    void add_unit(const std::vector<NodeId>& nodes) {
        ProbedUnit unit = describe_unit(quantized_, nodes);
        const size_t number = probe_.units.size();
        const std::vector<ValueId> reads = read_by(nodes), results = results_of(nodes);
        for (const ValueId out : results) {
            const size_t value = add_value(out);
            value_of_[index_of(out)] = value;
            probe_.values[value].maker = number;
            unit.out.push_back(value);
            unit.quantized = unit.quantized || quantized_.value(out).enc;
            tap(stored_.of(out), {Tap::Kind::stored, value});
        }
        unit.quantized = unit.quantized || unit.weighted;
        for (const ValueId read : reads)
            if (const auto value = value_of_[index_of(read)]) {
                unit.in.push_back(*value);
                probe_.values[*value].readers.push_back(number);
            }
        if (unit.quantized) add_plain(unit, nodes, reads, results);
        add_parts(unit, nodes, reads, results);
        probe_.units.push_back(std::move(unit));
    }

    // From outside, what holds no numbers included.
    std::vector<ValueId> read_by(const std::vector<NodeId>& nodes) const {
        std::vector<ValueId> reads;
        for (const NodeId id : nodes)
            for (const ValueId read : support::values_read(quantized_.node(id)))
                if (!quantized_.value(read).constant() && !inside(nodes, read) && !has(reads, read)) reads.push_back(read);
        return reads;
    }
    std::vector<ValueId> results_of(const std::vector<NodeId>& nodes) const {
        std::vector<ValueId> results;
        for (const NodeId id : nodes)
            for (const ValueId out : quantized_.node(id).out)
                if (out != ValueId::none && probed(out) && !inner(nodes, out)) results.push_back(out);
        return results;
    }

    static bool has(const std::vector<ValueId>& list, ValueId id) { return std::ranges::find(list, id) != list.end(); }
    bool inside(const std::vector<NodeId>& nodes, ValueId id) const {
        const NodeId maker = quantized_.value(id).producer;
        return maker != NodeId::none && std::ranges::find(nodes, maker) != nodes.end();
    }
    // Does nothing outside of the unit read it, and is it not on a grid?
    bool inner(const std::vector<NodeId>& nodes, ValueId id) const {
        return !quantized_.value(id).enc && std::ranges::all_of(quantized_.uses(id), [&](const Use& use) {
            return use.node != NodeId::none && std::ranges::find(nodes, use.node) != nodes.end();
        });
    }

    // What a copy of a unit reads where nothing of it is quantized: the float model's value, or where it holds no numbers the other's.
    ValueId exact_operand(ValueId id) {
        if (!value_of_[index_of(id)]) return stored_.of(id);
        return floats_.of(counterpart_[index_of(id)]);
    }
    ValueId rounded_operand(ValueId id) {
        const ValueId exact = exact_operand(id);
        if (!value_of_[index_of(id)] || !quantized_.value(id).enc) return exact;
        const auto [found, fresh] = rounded_.emplace(id, ValueId::none);
        if (fresh) {
            found->second = stored_.add_like(id);
            recode(exact, found->second);
        }
        return found->second;
    }

    void copy_unit(const std::vector<NodeId>& nodes, const std::vector<ValueId>& reads, const std::vector<ValueId>& results,
                   const std::function<ValueId(ValueId)>& operand, Tap::Kind kind, size_t part) {
        NodeCopier copier(quantized_, probe_.graph, false);
        copier.share_constants(constants_);
        if (kind != Tap::Kind::plain) copier.leave_bodies_float();
        for (const ValueId read : reads) copier.bind(read, operand(read));
        for (const NodeId id : nodes) copier.copy(id);
        for (const ValueId out : results) tap(copier.of(out), {kind, *value_of_[index_of(out)], part});
    }
    void add_plain(const ProbedUnit& unit, const std::vector<NodeId>& nodes, const std::vector<ValueId>& reads,
                   const std::vector<ValueId>& results) {
        const auto operand = [&](ValueId id) { return unit.weighted ? exact_operand(id) : rounded_operand(id); };
        copy_unit(nodes, reads, results, operand, Tap::Kind::plain, 0);
        if (unit.bodies) copy_unit(nodes, reads, results, operand, Tap::Kind::base, 0);
    }
    void add_parts(const ProbedUnit& unit, const std::vector<NodeId>& nodes, const std::vector<ValueId>& reads,
                   const std::vector<ValueId>& results) {
        for (size_t part = 0; part < unit.in.size(); ++part)
            copy_unit(
                nodes, reads, results,
                [&](ValueId id) { return value_of_[index_of(id)] == unit.in[part] ? stored_.of(id) : exact_operand(id); }, Tap::Kind::part,
                part);
    }

    void mark_outputs() {
        for (const ValueId id : quantized_.outputs) {
            const Value& value = quantized_.value(id);
            const size_t number = probe_.outputs.size();
            probe_.outputs.push_back(value.name);
            if (const auto probed = value_of_[index_of(id)])
                probe_.values[*probed].output = number;
            else if (is_number(value))
                throw bad_input("the quantized model's output \"{}\" has no counterpart in the float model", escape(value.name));
        }
    }

    const Graph &exact_, &quantized_;
    const std::vector<ValueId> counterpart_;
    Probe probe_;
    NodeCopier floats_, stored_;
    std::map<ValueId, ValueId> constants_, rounded_;
    std::vector<std::optional<size_t>> value_of_;  // by value of the quantized model
    std::map<ValueId, size_t> source_;             // by value of the float model
    std::set<NodeId> reached_;
    size_t next_ = 0;  // of the float model's order
};

}  // namespace

Probe make_probe(const Graph& exact, const Graph& quantized) { return Maker(exact, quantized).make(); }

}  // namespace quern
