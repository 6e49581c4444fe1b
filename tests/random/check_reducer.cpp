#include "tests/random/check_reducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "libcore/conformance/kinds.h"
#include "tests/random/reduce.h"
#include "tests/random/ways.h"

namespace quern::random_graphs {
namespace {

constexpr size_t wanted_graphs = 30;

struct Pair {
    const Op *first, *second;
};

// A node that reads the result of another.
std::optional<Pair> pair_in(const Graph& graph, Draw& draw) {
    std::vector<Pair> found;
    for (const NodeId id : graph.order())
        for (const ValueId in : graph.node(id).in)
            if (in != ValueId::none && graph.value(in).producer != NodeId::none)
                found.push_back({graph.node(graph.value(in).producer).op, graph.node(id).op});
    if (found.empty()) return std::nullopt;
    return draw.pick(found);
}

bool has_pair(const Graph& graph, const Pair& pair) {
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        return graph.node(id).op == pair.second && std::ranges::any_of(graph.node(id).in, [&](ValueId in) {
                   return in != ValueId::none && graph.value(in).producer != NodeId::none &&
                          graph.node(graph.value(in).producer).op == pair.first;
               });
    });
}

size_t elements_of(const RandomGraph& drawn) {
    size_t count = 0;
    for (const Tensor& tensor : drawn.sample) count += static_cast<size_t>(tensor.count());
    for (size_t i = 0; i < drawn.graph.value_count(); ++i)
        if (const auto constant = drawn.graph.constant(static_cast<ValueId>(i))) count += static_cast<size_t>(constant->count());
    return count;
}

// Are the two nodes left, and does the text say the same graph?
bool is_least(const RandomGraph& small, const Pair& pair) {
    if (small.graph.order().size() != 2 || small.graph.outputs.size() != 1 || !has_pair(small.graph, pair)) return false;
    const RandomGraph again = from_text(text_with_sample(small));
    return text_with_sample(again) == text_with_sample(small) &&
           std::ranges::equal(again.sample, small.sample, [](const Tensor& a, const Tensor& b) { return identical(a, b); });
}

}  // namespace

bool reducer_works() {
    Draw draw(3);
    size_t graphs = 0, least = 0, before = 0, after = 0;
    for (size_t i = 0; graphs < wanted_graphs && i < 10 * wanted_graphs; ++i) {
        const auto drawn = draw_graph(draw, kind_at(i, draw), {});
        const auto pair = drawn && drawn->graph.order().size() > 5 ? pair_in(drawn->graph, draw) : std::nullopt;
        if (!pair) continue;
        const RandomGraph small =
            reduced(*drawn, [&](const RandomGraph& one) { return has_pair(one.graph, *pair) && !reference_of(one).outputs.empty(); });
        const bool good = is_least(small, *pair);
        if (!good) fmt::print("of {} and {} there is left:\n{}", pair->first->name, pair->second->name, text_with_sample(small));
        ++graphs;
        least += good;
        before += elements_of(*drawn);
        after += elements_of(small);
    }
    fmt::print("{} of {} graphs reduced to a pair, {} numbers to {}\n", least, graphs, before, after);
    return graphs == wanted_graphs && least == graphs && 10 * after < before;
}

}  // namespace quern::random_graphs
