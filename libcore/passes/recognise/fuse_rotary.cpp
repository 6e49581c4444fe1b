// RotaryEmbedding spelled out, as the ONNX writer does for opsets that lack it:
//     s = reshape(x, [0, 0, heads, size]);  a, b = the two halves of s, or its even and odd columns;  c, d = unsqueeze(cos), unsqueeze(sin)
//     y = reshape(joined(a * c - b * d, a * d + b * c), [0, 0, heads * size])
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Ints = std::vector<int64_t>;

// The node that makes a value, which is on no grid.
const Node* plain(const Graph& graph, ValueId id, OpId op) {
    return id == ValueId::none || graph.value(id).enc ? nullptr : made_by(graph, id, op);
}

// The operand of a node of `op` whose second one are these numbers.
ValueId behind(const Graph& graph, ValueId id, OpId op, const Ints& numbers) {
    const Node* node = plain(graph, id, op);
    return node && ints_of(graph, input_of(*node, 1)) == numbers ? node->in[0] : ValueId::none;
}

const Node* last_concat(const Graph& graph, ValueId id) {
    const Node* node = plain(graph, id, ops::Concat);
    return node && node->in.size() == 2 && NodeView(*node).integer("axis") == -1 ? node : nullptr;
}

// Columns of a value.
struct Columns {
    ValueId of = ValueId::none;
    int64_t from = 0, to = 0, step = 0;
};
std::optional<Columns> columns_of(const Graph& graph, ValueId id) {
    const Node* node = plain(graph, id, ops::Slice);
    if (!node || ints_of(graph, input_of(*node, 3)) != Ints{-1}) return std::nullopt;
    std::array<int64_t, 3> numbers{};
    for (size_t i = 0; i < 3; ++i) {
        const auto found = ints_of(graph, input_of(*node, i == 2 ? 4 : i + 1));
        if (!found || found->size() != 1) return std::nullopt;
        numbers[i] = (*found)[0];
    }
    return Columns{node->in[0], numbers[0], numbers[1], numbers[2]};
}

struct Turned {
    ValueId a = ValueId::none, b = ValueId::none, cosine = ValueId::none, sine = ValueId::none;
    bool operator==(const Turned&) const = default;
};

// first * cosine op second * sine; `sum`: a * sine + b * cosine.
std::optional<Turned> turned_by(const Graph& graph, ValueId id, bool sum) {
    const Node* node = plain(graph, id, sum ? ops::Add : ops::Sub);
    const Node* left = node ? plain(graph, node->in[0], ops::Mul) : nullptr;
    const Node* right = node ? plain(graph, node->in[1], ops::Mul) : nullptr;
    if (!left || !right) return std::nullopt;
    const ValueId first = behind(graph, left->in[1], ops::Unsqueeze, {2}), second = behind(graph, right->in[1], ops::Unsqueeze, {2});
    if (first == ValueId::none || second == ValueId::none) return std::nullopt;
    return Turned{left->in[0], right->in[0], sum ? second : first, sum ? first : second};
}

bool is_product(int64_t whole, int64_t a, int64_t b) {
    int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && product == whole;
}

struct Rotation {
    ValueId x = ValueId::none, cosine = ValueId::none, sine = ValueId::none;
    int64_t heads = 0, turns = 0;
    bool pairs = false;
};

std::optional<Rotation> rotation_of(const Graph& graph, const Node& root) {
    const auto joined = root.is(ops::Reshape) ? ints_of(graph, root.in[1]) : std::nullopt;
    if (!joined || joined->size() != 3 || (*joined)[0] != 0 || (*joined)[1] != 0) return std::nullopt;
    ValueId id = root.in[0];
    std::optional<Columns> kept;  // what is not turned
    if (const Node* both = last_concat(graph, id)) {
        kept = columns_of(graph, both->in[1]);
        if (kept) id = both->in[0];
    }
    const Node* column = plain(graph, id, ops::Reshape);
    const Node* both = last_concat(graph, column ? column->in[0] : id);
    if (!both) return std::nullopt;
    const auto part = [&](size_t i) { return column ? behind(graph, both->in[i], ops::Unsqueeze, {-1}) : both->in[i]; };
    const auto real = turned_by(graph, part(0), false), imaginary = turned_by(graph, part(1), true);
    if (!real || real != imaginary) return std::nullopt;
    const auto a = columns_of(graph, real->a), b = columns_of(graph, real->b);
    const Node* split = a && b && a->of == b->of ? plain(graph, a->of, ops::Reshape) : nullptr;
    const auto dims = split ? ints_of(graph, split->in[1]) : std::nullopt;
    if (!dims || dims->size() != 4 || (*dims)[0] != 0 || (*dims)[1] != 0 || !is_product((*joined)[2], (*dims)[2], (*dims)[3]))
        return std::nullopt;
    const int64_t heads = (*dims)[2], size = (*dims)[3], turns = b->to;
    const bool pairs = column != nullptr;
    const bool right = pairs ? a->from == 0 && b->from == 1 && a->to == turns && a->step == 2 && b->step == 2 &&
                                   ints_of(graph, column->in[1]) == Ints{0, 0, heads, turns}
                             : a->from == 0 && a->to == b->from && is_product(turns, b->from, 2) && a->step == 1 && b->step == 1;
    const bool rest = kept ? kept->of == a->of && kept->from == turns && kept->to == size && kept->step == 1 : turns == size;
    if (!right || !rest || graph.value(split->in[0]).type.shape.rank() != 3) return std::nullopt;
    return Rotation{split->in[0], real->cosine, real->sine, heads, turns == size ? 0 : turns, pairs};
}

int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo()) {
        if (graph.node(id).erased) continue;
        const auto found = rotation_of(graph, graph.node(id));
        if (!found) continue;
        const ValueId before = graph.node(id).in[0];
        take_over(graph, graph.node(id).out[0], need_op(ops::RotaryEmbedding), {found->x, found->cosine, found->sine},
                  {{"interleaved", int64_t{found->pairs}}, {"num_heads", found->heads}, {"rotary_embedding_dim", found->turns}});
        erase_unread(graph, before);
        ++changes;
    }
    return changes;
}

}  // namespace

constinit const Pass fuse_rotary{"fuse_rotary", "recognise RotaryEmbedding in its elementary operations",
                                 [](Graph& graph) { return on_every_graph(graph, fuse_in); }, 1e-4f, false};

}  // namespace quern
