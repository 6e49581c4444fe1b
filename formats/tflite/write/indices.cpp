#include "formats/tflite/write/indices.h"

#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/passes/expansion.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

using Ints = std::vector<int64_t>;

// Operators without a result below 0 if operands `of` (bits) have none.
struct Sign {
    OpId op;
    uint32_t of;
};
constexpr uint32_t all = ~0U;
constexpr std::array signs{
    Sign{ops::ArgMax, 0},    Sign{ops::ArgMin, 0},    Sign{ops::NonZero, 0}, Sign{ops::Shape, 0},   Sign{ops::Size, 0},
    Sign{ops::Clip, 2},      Sign{ops::Mod, 2},       Sign{ops::Expand, 1},  Sign{ops::Flatten, 1}, Sign{ops::Gather, 1},
    Sign{ops::Identity, 1},  Sign{ops::Reshape, 1},   Sign{ops::Slice, 1},   Sign{ops::Split, 1},   Sign{ops::Squeeze, 1},
    Sign{ops::Tile, 1},      Sign{ops::Transpose, 1}, Sign{ops::Cast, 1},    Sign{ops::Range, 5},   Sign{ops::Where, 6},
    Sign{ops::Unsqueeze, 1}, Sign{ops::Add, all},     Sign{ops::Mul, all},   Sign{ops::Min, all},   Sign{ops::Max, all},
    Sign{ops::Concat, all},
};

bool never_negative(const Graph& graph, ValueId id, int depth = 16) {
    if (id == ValueId::none || depth == 0) return false;
    const NumberKind kind = kind_of(graph.value(id).type.dtype);
    if (kind == NumberKind::boolean || kind == NumberKind::unsigned_int) return true;
    if (const auto items = graph.constant(id)) {
        const auto numbers = is_integer(items->dtype) ? to_ints(*items) : Ints{-1};
        return std::ranges::all_of(numbers, [](int64_t number) { return number >= 0; });
    }
    if (graph.value(id).producer == NodeId::none) return false;
    const Node& node = graph.node(graph.value(id).producer);
    if ((node.is(ops::TopK) || node.is(ops::Unique)) && node.out[0] != id) return true;
    if (node.is(ops::Mod) && NodeView(node).integer("fmod") != 0) return false;
    const auto sign = std::ranges::find_if(signs, [&](const Sign& row) { return node.is(row.op); });
    if (sign == signs.end()) return false;
    for (size_t i = 0; i < node.in.size(); ++i)
        if ((sign->of >> std::min<size_t>(i, 31) & 1) != 0 && !never_negative(graph, node.in[i], depth - 1)) return false;
    return sign->of != 2 || node.in.size() > 1;
}

// The dims of a node's data into which its indices lead, and whether the last dim of the indices lists them.
struct Lengths {
    size_t from = 0, count = 0;  // 0: it has none
    bool tuples = false;
};

Lengths lengths_of(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const Shape& data = graph.value(node.in[0]).type.shape;
    if (node.is(ops::Gather) || node.is(ops::GatherElements) || node.is(ops::ScatterElements))
        return {data.ranked ? normal_axis(view.integer("axis"), data.rank()) : 0, data.ranked ? size_t{1} : 0};
    const Shape& indices = graph.value(node.in[1]).type.shape;
    if (!data.ranked || !indices.ranked || indices.rank() == 0 || !indices.dims.back().known()) return {};
    return {node.is(ops::GatherND) ? static_cast<size_t>(view.integer("batch_dims")) : 0, static_cast<size_t>(indices.dims.back().value),
            true};
}

// A constant with its indices below 0 counted from the start; none where a length that it takes is not known.
ValueId said_anew(Graph& graph, ValueId id, const std::vector<Dim>& lengths) {
    const Tensor before = *graph.constant(id);
    Ints items = to_ints(before);
    for (size_t i = 0; i < items.size(); ++i) {
        if (items[i] >= 0) continue;
        const Dim& length = lengths[i % lengths.size()];
        if (!length.known()) return ValueId::none;
        items[i] += length.value;
    }
    return graph.add_constant(graph.value(id).name + "/from_start", from_ints(before.dtype, before.dims, items));
}

// The lengths as numbers that are broadcast against the indices.
ValueId as_numbers(Expansion& made, ValueId data, const Lengths& at, const std::vector<Dim>& lengths, DType dtype) {
    if (std::ranges::all_of(lengths, [](const Dim& dim) { return dim.known(); })) {
        Ints items;
        for (const Dim& dim : lengths) items.push_back(dim.value);
        const Dims shape = at.tuples ? Dims{static_cast<int64_t>(items.size())} : Dims{};
        return made.constant(from_ints(dtype, shape, items), "lengths");
    }
    const ValueId shape = made.add(ops::Shape, {data});
    const auto from = static_cast<int64_t>(at.from), behind = static_cast<int64_t>(at.from + at.count);
    const ValueId dims = at.tuples ? made.add(ops::Slice, {shape, made.integers({from}), made.integers({behind})})
                                   : made.add(ops::Gather, {shape, made.scalar(from, DType::i64)}, {{"axis", int64_t{0}}});
    return made.cast(dims, dtype);
}

bool counted(Graph& graph, NodeId id, std::string_view format) {
    const Node& node = graph.node(id);
    const bool one = node.is(ops::Gather) || node.is(ops::GatherElements) || node.is(ops::ScatterElements);
    if (!one && !node.is(ops::GatherND) && !node.is(ops::ScatterND)) return false;
    const ValueId indices = node.in[1], data = node.in[0];
    if (graph.node(id).attrs.contains(negative_outside_key) || never_negative(graph, indices)) return false;
    const Lengths at = lengths_of(graph, node);
    const Shape& shape = graph.value(data).type.shape;
    if (at.count == 0 || at.from + at.count > shape.rank()) throw unsupported("which of its indices count from the end is not known");
    const std::vector<Dim> lengths(shape.dims.begin() + static_cast<std::ptrdiff_t>(at.from),
                                   shape.dims.begin() + static_cast<std::ptrdiff_t>(at.from + at.count));
    if (graph.constant(indices))
        if (const ValueId anew = said_anew(graph, indices, lengths); anew != ValueId::none) return graph.node(id).in[1] = anew, true;
    Expansion made(graph, id);
    // What is cast from int32 stays that, as some kernels take nothing else; onert's has no remainder of it.
    const Node* cast = made_by(graph, indices, ops::Cast);
    const bool narrow = format != "circle" && cast && graph.value(cast->in[0]).type.dtype == DType::i32;
    const DType given = graph.value(indices).type.dtype;
    const ValueId from = narrow ? cast->in[0] : format == "circle" ? made.cast(indices, DType::i64) : indices;
    const DType dtype = graph.value(from).type.dtype;
    const ValueId rest = made.add(ops::Mod, {from, as_numbers(made, data, at, lengths, dtype)});
    graph.node(id).in[1] = narrow ? made.cast(rest, given) : rest;
    return true;
}

}  // namespace

void count_from_start(Graph& graph, std::string_view format) {
    bool changed = false;
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        for (const NodeId id : std::vector<NodeId>(part.order()))
            if (!part.node(id).erased) at_node(part.node(id), [&] { changed = counted(part, id, format) || changed; });
    });
    if (changed) infer_types(graph);
}

}  // namespace quern::tflite_format
