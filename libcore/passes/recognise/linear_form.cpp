#include "libcore/passes/recognise/linear_form.h"

#include <algorithm>

#include "libcore/graph/grid.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr int depth_limit = 32;

bool reshapes(const Node& node) { return node.is(ops::Reshape, ops::Squeeze) || node.is(ops::Unsqueeze, ops::Identity); }

// Constant numbers as float32, decoded where they are float16.
std::optional<Tensor> numbers_of(const Graph& graph, ValueId id) {
    if (id == ValueId::none) return std::nullopt;
    const auto contents = graph.constant(id);
    const auto& enc = graph.value(id).enc;
    if (!contents || !is_float(graph.value(id).type.dtype) || (enc && is_scaled(enc->storage))) return std::nullopt;
    return enc ? dequantize(*contents, *enc) : *contents;
}

// Element by element; a list that is not there counts as zeros.
void add(std::vector<float>& to, const std::vector<float>& more) {
    if (to.empty()) to.assign(more.size(), 0.0f);
    for (size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

LinearForm rows(const LinearForm& all, int64_t first, int64_t count) {
    const auto cut = [&](const std::vector<float>& list) {
        const auto each = static_cast<int64_t>(list.size()) / std::max<int64_t>(all.n, 1);
        return std::vector<float>(list.begin() + first * each, list.begin() + (first + count) * each);
    };
    return {cut(all.x), cut(all.h), cut(all.bias), count};
}

// Where `out` begins along `last`, a Split's dim.
std::optional<int64_t> first_of_split(const Graph& graph, const Node& node, ValueId out, int64_t last) {
    const int64_t axis = NodeView(node).integer("axis");
    if (axis != -1 && axis != last) return std::nullopt;
    int64_t first = 0;
    for (const ValueId before : node.out) {
        if (before == out) break;
        const auto shape = graph.value(before).type.shape.concrete();
        if (!shape) return std::nullopt;
        first += shape->back();
    }
    return first;
}

// The same of a Slice that takes all of the other dims, a step of 1 at a time.
std::optional<int64_t> first_of_slice(const Graph& graph, const Node& node, int64_t last) {
    const auto starts = ints_of(graph, input_of(node, 1)), axes = ints_of(graph, input_of(node, 3));
    if (!starts || !axes || input_of(node, 4) != ValueId::none) return std::nullopt;
    int64_t first = 0;
    for (size_t i = 0; i < axes->size(); ++i) {
        if ((*axes)[i] == last || (*axes)[i] == -1)
            first = (*starts)[i];
        else if ((*starts)[i] != 0)
            return std::nullopt;
    }
    return first;
}

}  // namespace

ValueId without_reshapes(const Graph& graph, ValueId id) {
    while (id != ValueId::none && graph.value(id).producer != NodeId::none && reshapes(graph.node(graph.value(id).producer)))
        id = graph.node(graph.value(id).producer).in[0];
    return id;
}

std::optional<LinearForm> LinearForms::constant(ValueId id) const {
    const auto numbers = numbers_of(graph_, id);
    if (!numbers || numbers->dims.empty() || numbers->dims.back() != numbers->count()) return std::nullopt;
    return LinearForm{{}, {}, to_floats(*numbers), numbers->count()};
}

std::optional<LinearForm> LinearForms::product(const Node& node) const {
    const NodeView view(node);
    const bool gemm = node.is(ops::Gemm);
    if (gemm && (view.real("alpha") != 1 || view.real("beta") != 1 || view.integer("transA") != 0)) return std::nullopt;
    const auto weights = numbers_of(graph_, node.in[1]);
    const ValueId data = without_reshapes(graph_, node.in[0]);
    if (!weights || weights->dims.size() != 2 || (data != x_ && data != h_)) return std::nullopt;
    const bool across = gemm && view.integer("transB") != 0;
    const int64_t n = weights->dims[across ? 0 : 1], k = weights->dims[across ? 1 : 0];
    if (k != (data == x_ ? x_length_ : h_length_)) return std::nullopt;
    LinearForm form;
    form.n = n;
    (data == x_ ? form.x : form.h) = to_floats(across ? *weights : permuted(*weights, std::array<int64_t, 2>{1, 0}));
    if (gemm && input_of(node, 2) != ValueId::none) {
        const auto bias = numbers_of(graph_, node.in[2]);
        if (!bias || bias->count() != n) return std::nullopt;
        form.bias = to_floats(*bias);
    }
    return form;
}

std::optional<LinearForm> LinearForms::sum(const Node& node, int depth) const {
    const auto a = of(node.in[0], depth + 1), b = of(node.in[1], depth + 1);
    if (!a || !b || a->n != b->n) return std::nullopt;
    LinearForm form = *a;
    add(form.x, b->x);
    add(form.h, b->h);
    add(form.bias, b->bias);
    return form;
}

// One of the parts of a Split, or a Slice, along the last dim.
std::optional<LinearForm> LinearForms::part(ValueId id, int depth) const {
    const Node& node = graph_.node(graph_.value(id).producer);
    const auto whole = of(node.in[0], depth + 1);
    const Shape& shape = graph_.value(node.in[0]).type.shape;
    const auto made = graph_.value(id).type.shape.concrete();
    if (!whole || !shape.ranked || shape.rank() == 0 || !made || made->empty()) return std::nullopt;
    const auto last = static_cast<int64_t>(shape.rank()) - 1;
    const auto first = node.is(ops::Split) ? first_of_split(graph_, node, id, last) : first_of_slice(graph_, node, last);
    if (!first || *first < 0 || *first + made->back() > whole->n) return std::nullopt;
    return rows(*whole, *first, made->back());
}

std::optional<LinearForm> LinearForms::of(ValueId id, int depth) const {
    if (id == ValueId::none || depth > depth_limit) return std::nullopt;
    if (graph_.value(id).constant()) return constant(id);
    if (graph_.value(id).producer == NodeId::none) return std::nullopt;
    const Node& node = graph_.node(graph_.value(id).producer);
    if (reshapes(node)) return of(node.in[0], depth + 1);
    if (node.is(ops::Gemm, ops::MatMul)) return product(node);
    if (node.is(ops::Add)) return sum(node, depth);
    if (node.is(ops::Split, ops::Slice)) return part(id, depth);
    return std::nullopt;
}

}  // namespace quern
