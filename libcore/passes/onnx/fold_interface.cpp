#include "libcore/passes/onnx/fold_interface.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/linear.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr int longest_way = 8;  // moves of codes between the interface and the graph

// Does it give all elements of its first input, in other places?
bool moves_all(const Node& node) {
    return node.is(ops::Transpose, ops::Reshape, ops::Flatten, ops::Squeeze, ops::Unsqueeze, ops::Identity);
}

class Interface {
   public:
    explicit Interface(Graph& graph) : graph_(graph) {
        for (const auto& [state, next] : states_of(graph)) continued_.push_back(next);
    }

    int run(Ends which) {
        int changes = 0;
        if (which.inputs)
            for (const ValueId id : std::vector<ValueId>(graph_.inputs)) changes += fold_input(id) ? 1 : 0;
        if (which.outputs)
            for (const ValueId id : std::vector<ValueId>(graph_.outputs)) changes += fold_output(id) ? 1 : 0;
        if (changes > 0) graph_.sort();
        return changes;
    }

   private:
    bool is_codes(ValueId id) const {
        const Value& value = graph_.value(id);
        return value.type.kind == Type::Kind::tensor && is_integer(value.type.dtype) && !value.enc && !value.constant() &&
               std::ranges::find(continued_, id) == continued_.end();
    }

    std::optional<Encoding> encoding_by(const Node& node) const {
        auto found = linear_encoding(graph_, node);
        if (found && (!found->plain_integer(16) || bits_of(found->storage) < 8)) found.reset();
        return found;
    }

    // The encoding that all readers of codes mean, however they are moved before; nullopt: some read them as numbers.
    std::optional<Encoding> read_as(ValueId codes, int steps = 0) const {
        std::optional<Encoding> found;
        if (steps > longest_way || !is_codes(codes)) return found;
        for (const Use& use : graph_.uses(codes)) {
            if (use.node == NodeId::none || use.index != 0) return std::nullopt;
            const Node& reader = graph_.node(use.node);
            const auto meant = is_dequantize(reader) ? encoding_by(reader)
                               : moves_all(reader)   ? read_as(reader.out[0], steps + 1)
                                                     : std::nullopt;
            if (!meant || (found && *meant != *found)) return std::nullopt;
            found = meant;
        }
        return found;
    }

    void encode(ValueId id, const Encoding& encoding) {
        graph_.value(id).type = Type::tensor(encoding.real, graph_.value(id).type.shape);
        graph_.value(id).enc = encoding;
    }

    bool fold_input(ValueId id) {
        const auto encoding = read_as(id);
        if (encoding) encode_readers(id, *encoding);
        return encoding.has_value();
    }

    void encode_readers(ValueId codes, const Encoding& encoding) {
        encode(codes, encoding);
        for (const Use& use : graph_.uses(codes)) {
            if (is_dequantize(graph_.node(use.node)))
                drop_dequantize(use.node, codes, encoding);
            else
                encode_readers(graph_.node(use.node).out[0], encoding);
        }
    }

    void drop_dequantize(NodeId id, ValueId encoded, const Encoding& encoding) {
        const ValueId real = graph_.node(id).out[0];
        const auto& known = graph_.value(real).enc;
        if (graph_.is_output(real) || (known && *known != encoding)) {
            take_over(graph_, real, need_op(ops::own::Recode), {encoded});
            return;
        }
        graph_.replace_uses(real, encoded);
        continue_states(graph_, real, encoded);
        graph_.erase(id);
        graph_.erase(real);
    }

    // The codes on the way from a QuantizeLinear to an output, the output first; empty: something else makes or reads them.
    std::vector<ValueId> way_to(ValueId output) const {
        std::vector<ValueId> way;
        if (!is_codes(output) || !std::ranges::all_of(graph_.uses(output), [](const Use& use) { return use.node == NodeId::none; }))
            return way;
        for (ValueId at = output; is_codes(at) && (at == output || graph_.uses(at).size() == 1);) {
            way.push_back(at);
            if (graph_.value(at).producer == NodeId::none) break;
            const Node& maker = graph_.node(graph_.value(at).producer);
            if (is_quantize(maker)) return way;
            if (!moves_all(maker) || static_cast<int>(way.size()) > longest_way) break;
            at = maker.in[0];
        }
        return {};
    }

    bool fold_output(ValueId id) {
        const std::vector<ValueId> way = way_to(id);
        if (way.empty()) return false;
        const NodeId quantize = graph_.value(way.back()).producer;
        const auto encoding = encoding_by(graph_.node(quantize));
        const ValueId real = graph_.node(quantize).in[0];
        if (!encoding || graph_.value(real).constant()) return false;
        const bool own = may_be_stored_as(real, quantize, *encoding);
        for (const ValueId codes : way) encode(codes, *encoding);
        if (own) graph_.value(real).enc = encoding;
        if (!own || !forward(graph_, way.back(), real)) {
            take_over(graph_, way.back(), need_op(ops::own::Recode), {real});
        } else if (way.size() > 1) {
            graph_.erase(quantize);
            graph_.erase(way.back());
        }
        return true;
    }

    // Is the value nothing else than what the codes of an output stand for?
    bool may_be_stored_as(ValueId real, NodeId quantize, const Encoding& encoding) const {
        const Value& value = graph_.value(real);
        if (value.producer == NodeId::none || graph_.is_output(real)) return false;
        return value.enc ? *value.enc == encoding : graph_.only_reader(real) == quantize;
    }

    Graph& graph_;
    std::vector<ValueId> continued_;
};

}  // namespace

int fold_interface(Graph& graph, Ends which) { return Interface(graph).run(which); }

}  // namespace quern
