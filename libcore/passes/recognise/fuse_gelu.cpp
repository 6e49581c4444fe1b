// Gelu spelled out: 0.5 x (1 + erf(x / sqrt 2)) and 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), in any order of operations; the
// first also as 0.5 x (1 - erf(-x / sqrt 2)), and as Keras has it: 0.5 x erfc(-x / sqrt 2), by the form in which erfc is read.
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "libcore/graph/device.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/form.h"
#include "libcore/passes/recognise/polynomial.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr int tree_budget = 24;

bool is_polynomial(const Graph& graph, ValueId id, ValueId x, ValueId t, const Polynomial& want) {
    int budget = tree_budget;
    const auto got = polynomial_of(graph, id, x, t, budget);
    return got && agrees(*got, want);
}

// The values from which a tree of elementwise arithmetic above `id` starts.
void collect_leaves(const Graph& graph, ValueId id, int depth, std::vector<ValueId>& leaves) {
    const Value& value = graph.value(id);
    if (value.constant()) return;
    leaves.push_back(id);
    if (depth == 0 || value.producer == NodeId::none) return;
    const Node& node = graph.node(value.producer);
    if (!node.op->domain.empty()) return;
    if (!node.is(ops::Add, ops::Mul) && !node.is(ops::Div, ops::Pow) && !node.is(ops::Neg)) return;
    for (const ValueId in : node.in) collect_leaves(graph, in, depth - 1, leaves);
}

// The x for which `argument` is the wanted polynomial.
ValueId source_of(const Graph& graph, ValueId argument, const Polynomial& want) {
    std::vector<ValueId> leaves;
    collect_leaves(graph, argument, 5, leaves);
    for (const ValueId x : leaves)
        if (x != argument && is_polynomial(graph, argument, x, ValueId::none, want)) return x;
    return ValueId::none;
}

// Climbs from t to the value that is `want` of x and t.
ValueId result_of(const Graph& graph, ValueId t, ValueId x, const Polynomial& want) {
    ValueId at = t;
    for (int step = 0; step < 5; ++step) {
        const NodeId reader = graph.only_reader(at);
        if (reader == NodeId::none || graph.node(reader).out.size() != 1) return ValueId::none;
        const Node& next = graph.node(reader);
        at = next.out[0];
        if (is_polynomial(graph, at, x, t, want)) return at;
    }
    return ValueId::none;
}

// How t, a function of a polynomial of x, gives Gelu of x.
struct Spelling {
    Polynomial argument, result;  // of x; of x and t
};
using Spellings = std::array<Spelling, 2>;

// Both functions are odd: x/2 + x t/2 and x/2 - x t/2.
Spellings by_odd_function(double linear, double cubic) {
    const auto of_sign = [&](double sign) {
        Polynomial argument{{{1, 0}, sign * linear}};
        if (cubic != 0) argument[{3, 0}] = sign * cubic;
        return Spelling{std::move(argument), {{{1, 0}, 0.5}, {{1, 1}, 0.5 * sign}}};
    };
    return {of_sign(1), of_sign(-1)};
}

bool fuse(Graph& graph, ValueId argument, ValueId t, std::span<const Spelling> spellings, std::string_view approximate) {
    ValueId x = ValueId::none, y = ValueId::none;
    for (const Spelling& spelling : spellings) {
        x = source_of(graph, argument, spelling.argument);
        if (x != ValueId::none) y = result_of(graph, t, x, spelling.result);
        if (y != ValueId::none) break;
    }
    if (y == ValueId::none || !is_float(graph.value(x).type.dtype)) return false;
    const auto device = device_between(graph, y, x);
    if (!device) return false;
    Attrs attrs;
    if (!approximate.empty()) attrs["approximate"] = std::string(approximate);
    graph.node(take_over(graph, y, need_op(ops::Gelu), {x}, std::move(attrs))).device = *device;
    return true;
}

// The x of which the value is erfc.
ValueId argument_of_erfc(const Graph& graph, ValueId id) {
    static const std::array forms{Form(decompose::erfc, DType::f32), Form(decompose::erfc, DType::f16), Form(decompose::erfc, DType::f64)};
    for (const Form& form : forms)
        if (const ValueId x = form.argument_of(graph, id); x != ValueId::none) return x;
    return ValueId::none;
}

bool fuse(Graph& graph, const Node& node) {
    if (node.is(ops::Erf)) return fuse(graph, node.in[0], node.out[0], by_odd_function(1 / std::numbers::sqrt2, 0), "");
    const double c = std::sqrt(2 * std::numbers::inv_pi);
    if (node.is(ops::Tanh)) return fuse(graph, node.in[0], node.out[0], by_odd_function(c, c * 0.044715), "tanh");
    if (!node.is(ops::Cast, ops::Where)) return false;
    const ValueId argument = argument_of_erfc(graph, node.out[0]);
    const std::array spelling{Spelling{{{{1, 0}, -1 / std::numbers::sqrt2}}, {{{1, 1}, 0.5}}}};
    return argument != ValueId::none && fuse(graph, argument, node.out[0], spelling, "");
}

int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && fuse(graph, graph.node(id))) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_gelu{"fuse_gelu", "recognise Gelu (erf and tanh forms) in its elementary operations",
                               [](Graph& graph) { return on_every_graph(graph, fuse_in); }, 1e-4f};

}  // namespace quern
