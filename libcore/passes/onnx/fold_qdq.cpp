// QuantizeLinear and DequantizeLinear (and QLinearConv, QLinearMatMul, QGemm, which are the same written in one) become encodings of
// values, wherever that changes no number:
//   - x -> Q -> DQ: x itself gets the encoding if everything that reads it is such a Q, else a Recode makes a new value; where the DQ
//     makes an output of the graph, x takes its name;
//   - constant codes -> DQ: a constant with an encoding, in blocks with the minima that are added behind it;
//   - other codes -> DQ, x -> other readers of Q: the node stays, and its real side gets the encoding.
// DynamicQuantizeLinear and the integer products behind it become dynamic encodings (fold_dynamic.h).
#include <algorithm>
#include <cstring>

#include "libcore/graph/device.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/passes/onnx/fold_dynamic.h"
#include "libcore/passes/onnx/qlinear.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/block_tables.h"
#include "libcore/passes/shared.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

bool is_quantize(const Node& node) { return node.is(ops::QuantizeLinear, ops::microsoft::QuantizeLinear); }
bool is_dequantize(const Node& node) { return node.is(ops::DequantizeLinear, ops::microsoft::DequantizeLinear); }

// A scale for each slice of a dim of 1 is one number, too: the node says which is meant.
bool is_sliced_once(const Graph& graph, const NodeView& view, ValueId codes, const Tensor& scale) {
    if (!view.has("axis") || scale.dims != Dims{1} || !graph.value(codes).constant()) return false;
    const auto dims = graph.value(codes).type.shape.concrete();
    const int64_t axis = view.integer("axis"), rank = dims ? static_cast<int64_t>(dims->size()) : 0;
    return axis < rank && axis >= -rank && (*dims)[static_cast<size_t>(axis < 0 ? axis + rank : axis)] == 1;
}

// Scale and offset of a Q or DQ node; the offset is undefined where the node has none.
struct Parameters {
    Tensor scale, offset;
};

// None: they are not plain constants, or do not fit the codes. Codes that are floats have no offset but 0, and saturate.
std::optional<Parameters> parameters_of(const Graph& graph, const Node& node, DType storage) {
    const auto plain = [&](ValueId id) { return id != ValueId::none && graph.value(id).constant() && !graph.value(id).enc; };
    const ValueId zero = input_of(node, 2);
    if (!plain(node.in[1]) || (zero != ValueId::none && !plain(zero))) return std::nullopt;
    Parameters found{*graph.constant(node.in[1]), zero == ValueId::none ? Tensor() : *graph.constant(zero)};
    if (found.scale.dtype != DType::f32 || (found.offset.defined() && found.offset.dtype != storage)) return std::nullopt;
    if (!is_float(storage)) return found;
    const NodeView view(node);
    if (found.offset.defined() && std::ranges::any_of(to_floats(found.offset), [](float x) { return x != 0; })) return std::nullopt;
    if (is_quantize(node) && view.has("saturate") && view.integer("saturate") == 0) return std::nullopt;
    found.offset = Tensor();
    return found;
}

// The encoding between `codes` and the real value of a Q or DQ node, if its parameters are constants that an encoding can say.
std::optional<Encoding> encoding_of(const Graph& graph, const Node& node, ValueId codes, ValueId real) {
    const DType storage = graph.value(codes).type.dtype;
    if (!is_scaled(storage) || graph.value(real).type.dtype != DType::f32) return std::nullopt;
    auto found = parameters_of(graph, node, storage);
    if (!found) return std::nullopt;
    auto& [scale, offset] = *found;
    const NodeView view(node);
    const int64_t block = view.has("block_size") ? std::max<int64_t>(view.integer("block_size"), 0) : 0;
    int axis = -1;
    if (scale.count() == 1 && block == 0 && !is_sliced_once(graph, view, codes, scale)) {
        scale.dims.clear();
        if (offset.defined()) offset.dims.clear();
    } else {
        const Shape& shape = graph.value(codes).type.shape;
        if (!shape.ranked) return std::nullopt;
        axis = static_cast<int>(normal_axis(view.has("axis") ? view.integer("axis") : 1, shape.rank()));
    }
    if (!offset.defined() && is_integer(storage))
        offset = from_ints(storage, scale.dims, std::vector<int64_t>(static_cast<size_t>(scale.count()), 0));
    Encoding encoding = make_encoding(storage, std::move(scale), std::move(offset), axis);
    encoding.block = block;
    return encoding;
}

std::optional<Encoding> encoding_of(const Graph& graph, const Node& node) {
    return is_quantize(node) ? encoding_of(graph, node, node.out[0], node.in[0]) : encoding_of(graph, node, node.in[0], node.out[0]);
}

bool has_code(const Tensor& codes, int64_t code) {
    if (codes.dtype == DType::i8)
        return !codes.data.empty() && std::memchr(codes.data.data(), static_cast<int8_t>(code), codes.data.size());
    const auto numbers = to_ints(codes);
    return std::ranges::find(numbers, code) != numbers.end();
}

// Symmetric weights that leave the least code unused are marked so, as the quantizer does.
Encoding of_weights(Encoding encoding, const Tensor& codes) {
    const int bits = bits_of(encoding.storage);
    if (!encoding.symmetric() || encoding.qmin >= 0 || bits > 16) return encoding;
    if (!has_code(codes, encoding.qmin)) ++encoding.qmin;
    codes.data.release();
    return encoding;
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
            if (!graph_.node(id).erased && is_quantize(graph_.node(id))) fold_quantize(id);
        for (const NodeId id : graph_.topo())
            if (!graph_.node(id).erased && is_dequantize(graph_.node(id))) fold_dequantize(id);
        changes_ += fold_minima(graph_);
        graph_.sort();
        return changes_;
    }

   private:
    // Is x read by nothing but Qs that mean this encoding?
    bool belongs_to(ValueId x, const Encoding& encoding) const {
        if (graph_.value(x).constant()) return false;
        for (const Use& use : graph_.uses(x)) {
            if (use.node == NodeId::none || use.index != 0 || !is_quantize(graph_.node(use.node))) return false;
            const auto other = encoding_of(graph_, graph_.node(use.node));
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
            const auto other = encoding_of(graph_, graph_.node(use.node));
            if (other && *other == encoding && !graph_.value(graph_.node(use.node).out[0]).enc) found.push_back(use.node);
        }
        return found;
    }

    void fold_quantize(NodeId id) {
        const auto encoding = encoding_of(graph_, graph_.node(id));
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
        const auto encoding = encoding_of(graph_, graph_.node(id));
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
