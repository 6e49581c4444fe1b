// QuantizeLinear and DequantizeLinear (and QLinearConv, QLinearMatMul, QGemm, which are the same written in one) become encodings of
// values, wherever that changes no number:
//   - x -> Q -> DQ: x itself gets the encoding if everything that reads it is such a Q, else a Recode makes a new value; where the DQ
//     makes an output of the graph, x takes its name;
//   - x -> Q -> Clip of codes -> DQ, as Brevitas exports fewer bits: x is clipped ahead of the codes;
//   - constant codes -> DQ: a constant with an encoding, in blocks with the minima that are added behind it;
//   - other codes -> DQ, x -> other readers of Q: the node stays, and its real side gets the encoding.
// DynamicQuantizeLinear and the integer products behind it become dynamic encodings (fold_dynamic.h).
#include <algorithm>
#include <array>

#include "libcore/graph/device.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/passes/onnx/fold_dynamic.h"
#include "libcore/passes/onnx/linear.h"
#include "libcore/passes/onnx/qlinear.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/block_tables.h"
#include "libcore/passes/recognise/fake_quantized.h"
#include "libcore/passes/shared.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

struct CodeBounds {
    int64_t least, most;
};

// What a Clip of integers limits them to, within their type; nullopt: that is not known.
std::optional<CodeBounds> code_bounds(const Graph& graph, const Node& clip) {
    const auto [min, max] = int_range(graph.value(clip.in[0]).type.dtype);
    std::array bounds{min, max};
    for (const size_t i : {size_t{1}, size_t{2}}) {
        if (input_of(clip, i) == ValueId::none) continue;
        const auto bound = ints_of(graph, clip.in[i]);
        if (!bound || bound->size() != 1) return std::nullopt;
        bounds[i - 1] = bound->front();
    }
    if (bounds[0] > bounds[1]) return std::nullopt;
    return CodeBounds{bounds[0], bounds[1]};
}

Tensor clipped_codes(const Tensor& codes, const CodeBounds& bounds) {
    std::vector<int64_t> numbers = to_ints(codes);
    for (int64_t& number : numbers) number = std::clamp(number, bounds.least, bounds.most);
    return from_ints(codes.dtype, codes.dims, numbers);
}

// Of recurrent operators both matrices.
bool reads_weight(const Node& node, int index) {
    using namespace recurrent_operands;
    const bool matrix = index == static_cast<int>(weights_at) || index == static_cast<int>(recurrence_at);
    return node.op->quant.weight == index || (matrix && is_recurrent(node));
}

class Folder {
   public:
    explicit Folder(Graph& graph) : graph_(graph) {}

    int run() {
        for (const NodeId id : graph_.topo())
            if (!graph_.node(id).erased && graph_.node(id).is(ops::Clip)) fold_clip(id);
        for (const NodeId id : graph_.topo())
            if (!graph_.node(id).erased && is_quantize(graph_.node(id))) fold_quantize(id);
        for (const NodeId id : graph_.topo())
            if (!graph_.node(id).erased && is_dequantize(graph_.node(id))) fold_dequantize(id);
        changes_ += fold_minima(graph_) + fold_row_tables(graph_);
        graph_.sort();
        return changes_;
    }

   private:
    // Is x read by nothing but Qs that mean this encoding?
    bool belongs_to(ValueId x, const Encoding& encoding) const {
        if (graph_.value(x).constant()) return false;
        for (const Use& use : graph_.uses(x)) {
            if (use.node == NodeId::none || use.index != 0 || !is_quantize(graph_.node(use.node))) return false;
            const auto other = linear_encoding(graph_, graph_.node(use.node));
            if (!other || !(*other == encoding)) return false;
        }
        return !is_capture(x);
    }
    bool is_capture(ValueId x) const {
        return std::any_of(graph_.captures.begin(), graph_.captures.end(), [&](const Graph::Capture& c) { return c.inner == x; });
    }

    bool is_weight(ValueId id) const {
        const auto uses = graph_.uses(id);
        return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
            return use.node != NodeId::none && use.index >= 0 && reads_weight(graph_.node(use.node), use.index);
        });
    }

    // The DQs that undo this Q exactly.
    std::vector<NodeId> inverses(const Node& node, const Encoding& encoding) const {
        std::vector<NodeId> found;
        for (const Use& use : graph_.uses(node.out[0])) {
            if (use.node == NodeId::none || use.index != 0 || !is_dequantize(graph_.node(use.node))) continue;
            const auto other = linear_encoding(graph_, graph_.node(use.node));
            if (other && *other == encoding && !graph_.value(graph_.node(use.node).out[0]).enc) found.push_back(use.node);
        }
        return found;
    }

    void fold_quantize(NodeId id) {
        const auto encoding = linear_encoding(graph_, graph_.node(id));
        if (!encoding) return;
        ValueId x = graph_.node(id).in[0];
        const ValueId codes = graph_.node(id).out[0];
        if (graph_.value(x).constant()) {
            fold_constant(id, *encoding);
            return;
        }
        const auto pairs = inverses(graph_.node(id), *encoding);
        const bool own = graph_.value(x).enc ? *graph_.value(x).enc == *encoding : belongs_to(x, *encoding);
        if (own && !graph_.value(x).enc) {
            graph_.value(x).enc = *encoding;
            ++changes_;
        }
        for (const NodeId pair : pairs) {
            x = fold_pair(pair, x, own, *encoding);
            ++changes_;
        }
        if (graph_.uses(codes).empty()) {
            graph_.erase(id);
            graph_.erase(codes);
        }
    }

    // The value that has the encoding from now on: x, or the graph's output that it has become.
    ValueId fold_pair(NodeId pair, ValueId x, bool own, const Encoding& encoding) {
        const ValueId real = graph_.node(pair).out[0];
        if (own && !graph_.is_output(real)) {
            graph_.replace_uses(real, x);
            graph_.erase(pair);
            graph_.erase(real);
            return x;
        }
        if (own && !is_capture(x) && forward(graph_, real, x)) return real;
        take_over(graph_, real, need_op(ops::own::Recode), {x});
        graph_.value(real).enc = encoding;
        return x;
    }

    bool is_read_as_numbers(ValueId codes) const {
        return is_integer(graph_.value(codes).type.dtype) && std::ranges::any_of(graph_.uses(codes), [&](const Use& use) {
                   return use.node != NodeId::none && use.index == 0 && is_dequantize(graph_.node(use.node));
               });
    }

    // Clipped codes are those of the clipped number; of constants they are known. So are codes of fewer bits than their type has, or
    // without the least.
    void fold_clip(NodeId id) {
        const ValueId codes = graph_.node(id).in[0], clipped = graph_.node(id).out[0];
        if (graph_.value(codes).enc || graph_.value(clipped).enc || !is_read_as_numbers(clipped)) return;
        const auto bounds = code_bounds(graph_, graph_.node(id));
        const NodeId by = graph_.value(codes).producer;
        if (!bounds || (by == NodeId::none && !graph_.value(codes).constant())) return;
        if (graph_.value(codes).constant()) return become(id, clipped_codes(*graph_.constant(codes), *bounds));
        if (!is_quantize(graph_.node(by))) return;
        const auto encoding = linear_encoding(graph_, graph_.node(by));
        if (!encoding || !is_integer(encoding->storage)) return;
        const Encoding limited = encoding->with_limits(bounds->least, bounds->most);
        std::vector<ValueId> in = graph_.node(by).in;
        if (graph_.value(in[0]).constant()) {
            if (!graph_.value(in[0]).enc) become(id, quantize(*graph_.constant(in[0]), limited));
            return;
        }
        if (!has_all_codes(limited)) {
            if (!limited.per_tensor()) return;
            in[0] = limit_ahead(graph_, in[0], limited, graph_.value(clipped).name, id);
        }
        const Attrs attrs = graph_.node(by).attrs;
        take_over(graph_, clipped, graph_.node(by).op, std::move(in), attrs);
        erase_unread(graph_, codes);
        ++changes_;
    }

    // The only result of a node becomes a constant.
    void become(NodeId id, const Tensor& tensor) {
        const std::vector<ValueId> in = graph_.node(id).in;
        const ValueId result = graph_.node(id).out[0];
        graph_.erase(id);
        graph_.value(result).data = tensor.data;
        graph_.value(result).type = Type::tensor(tensor.dtype, Shape::of(tensor.dims));
        erase_unread(graph_, in[0]);
        ++changes_;
    }

    // A constant that is quantized in the graph: its codes.
    void fold_constant(NodeId id, const Encoding& encoding) {
        const ValueId codes = graph_.node(id).out[0];
        if (graph_.value(graph_.node(id).in[0]).enc) return;
        const Tensor quantized = quantize(*graph_.constant(graph_.node(id).in[0]), encoding);
        graph_.erase(id);
        graph_.value(codes).data = quantized.data;
        graph_.value(codes).type = Type::tensor(quantized.dtype, Shape::of(quantized.dims));
        ++changes_;
    }

    void fold_dequantize(NodeId id) {
        const auto encoding = linear_encoding(graph_, graph_.node(id));
        const ValueId codes = graph_.node(id).in[0], real = graph_.node(id).out[0];
        if (!encoding || graph_.value(codes).enc) return;
        const auto& known = graph_.value(real).enc;
        if (known && (!graph_.value(codes).constant() || !(*known == *encoding))) return;
        if (!graph_.value(codes).constant()) {
            graph_.value(real).enc = *encoding;  // exact: what a DQ gives lies on the grid
            ++changes_;
            return;
        }
        const Tensor stored = *graph_.constant(codes);
        graph_.erase(id);
        Value& value = graph_.value(real);
        value.type = Type::tensor(encoding->real, Shape::of(stored.dims));
        value.data = *graph_.value(codes).data;
        value.enc = is_weight(real) ? of_weights(*encoding, stored) : *encoding;
        mark_recurrent_readers(real);
        ++changes_;
    }

    // Recurrent operators of ONNX compute in float, also between codes.
    void mark_recurrent_readers(ValueId weights) {
        for (const Use& use : graph_.uses(weights))
            if (use.node != NodeId::none && use.index >= 0 && is_recurrent(graph_.node(use.node)) &&
                reads_weight(graph_.node(use.node), use.index))
                graph_.node(use.node).attrs[weight_only_key] = int64_t{1};
    }

    Graph& graph_;
    int changes_ = 0;
};

int fold_in(Graph& graph) {
    const int expanded = expand_qlinear(graph) + fold_dynamic(graph);
    const int changes = expanded + Folder(graph).run();
    if (changes > 0) place_recodes(graph);
    return changes;
}

}  // namespace

constinit const Pass fold_qdq{"fold_qdq",
                              "QuantizeLinear, DequantizeLinear, QLinear products and dynamic chains become encodings of values",
                              [](Graph& graph) { return on_every_graph(graph, fold_in); }, 0};

}  // namespace quern
