// Attention, RotaryEmbedding and TensorScatter for opsets that lack them.
#include <array>

#include "formats/onnx/downgrade.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/decompose/attention_parts.h"

namespace quern::onnx_format {
namespace {

constexpr DType t = DType::f32;

void attention(Graph& graph, NodeId id, int) {
    if (std::string why = attention_obstacle(graph, graph.node(id)); !why.empty()) throw unsupported("{}", why);
    spell_attention(graph, id);
}

void rotary(Graph& graph, NodeId id, int) {
    const Node& node = graph.node(id);
    const NodeView view(node);
    const Type& type = graph.value(node.in[0]).type;
    const int64_t heads = view.integer("num_heads"), rotated = view.integer("rotary_embedding_dim");
    if (type.dtype != t || type.shape.rank() != 3 || !type.shape.dims[2].known() || heads < 1)
        throw unsupported("of other data than float32 of rank 3 needs opset 23");
    const int64_t size = type.shape.dims[2].value / heads, turns = rotated == 0 ? size : rotated, half = turns / 2;
    const bool pairs = view.integer("interleaved") != 0;
    ValueId cosine = node.in[1], sine = node.in[2];
    const ValueId positions = has_input(node, 3) ? node.in[3] : ValueId::none, x = node.in[0];
    const Dim width = type.shape.dims[2];
    Expansion add(graph, id);
    const auto angle = [&](ValueId table) {  // [batch, length, 1, half]
        const ValueId rows = positions == ValueId::none ? table : add.add(ops::Gather, {table, positions});
        return add.add(ops::Unsqueeze, {rows, add.integers({2}, "axes")});
    };
    const auto slice = [&](ValueId of, int64_t from, int64_t to, int64_t step = 1) {
        return add.add(ops::Slice, {of, add.integers({from}, "from"), add.integers({to}, "to"), add.integers({-1}, "axis"),
                                    add.integers({step}, "step")});
    };
    cosine = angle(cosine);
    sine = angle(sine);
    const ValueId split = add.add(ops::Reshape, {x, add.integers({0, 0, heads, size}, "heads")});
    const ValueId a = pairs ? slice(split, 0, turns, 2) : slice(split, 0, half);
    const ValueId b = pairs ? slice(split, 1, turns, 2) : slice(split, half, turns);
    const auto product = [&](ValueId left, ValueId right) { return add.add(ops::Mul, {left, right}); };
    const ValueId real = add.add(ops::Sub, {product(a, cosine), product(b, sine)});
    const ValueId imaginary = add.add(ops::Add, {product(a, sine), product(b, cosine)});
    ValueId y;
    if (pairs) {  // one beside the other
        const auto column = [&](ValueId v) { return add.add(ops::Unsqueeze, {v, add.integers({-1}, "last")}); };
        const ValueId both = add.add(ops::Concat, {column(real), column(imaginary)}, {{"axis", int64_t{-1}}});
        y = add.add(ops::Reshape, {both, add.integers({0, 0, heads, turns}, "pairs")});
    } else {
        y = add.add(ops::Concat, {real, imaginary}, {{"axis", int64_t{-1}}});
    }
    if (turns < size) y = add.add(ops::Concat, {y, slice(split, turns, size)}, {{"axis", int64_t{-1}}});
    add.finish(ops::Reshape, {y, add.integers({0, 0, width.value}, "joined")});
}

// Rows of a cache [batch, heads, capacity, size] from a position on.
void tensor_scatter(Graph& graph, NodeId id, int) {
    const Node& node = graph.node(id);
    const NodeView view(node);
    const Type& update = graph.value(node.in[1]).type;
    if (view.text("mode") != "linear" || view.integer("axis") != -2 || update.shape.rank() != 4 || !has_input(node, 2))
        throw unsupported("in another form than rows of rank 4, one behind the other from a position on, needs opset 24");
    const ValueId cache = node.in[0], rows = node.in[1], begin = node.in[2];
    Expansion add(graph, id);
    const auto whole = [&](int64_t number) { return add.scalar(number, DType::i64, "whole"); };
    const ValueId dims = add.add(ops::Shape, {rows});
    const ValueId count = add.add(ops::Gather, {dims, whole(2)});
    const ValueId behind = add.add(ops::Unsqueeze, {add.add(ops::Range, {whole(0), count, whole(1)}), add.integers({-1}, "last")});
    const ValueId first = add.add(ops::Unsqueeze, {begin, add.integers({1, 2, 3}, "axes")});
    const ValueId places = add.add(ops::Expand, {add.add(ops::Add, {first, behind}), dims});
    add.finish(ops::ScatterElements, {cache, places, rows}, {{"axis", int64_t{2}}});
}

constexpr std::array downgrade_attention_table{Downgrade{ops::Attention, 23, attention}, Downgrade{ops::RotaryEmbedding, 23, rotary},
                                               Downgrade{ops::TensorScatter, 24, tensor_scatter}};

}  // namespace

std::span<const Downgrade> attention_expansions() { return downgrade_attention_table; }

}  // namespace quern::onnx_format
