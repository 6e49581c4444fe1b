#include "libcore/runs/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "libcore/ops/integer/family.h"

namespace quern {
namespace {

Tensor as_in_source(const Tensor& tensor, const std::vector<int>& permutation) {
    if (permutation.empty() || permutation.size() != tensor.dims.size()) return tensor;
    std::vector<int64_t> order(permutation.size());
    for (size_t i = 0; i < permutation.size(); ++i) order[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
    return permuted(tensor, order);
}

// The order of dims that brings [batch, places, channels] to [batch, channels, places] or back, as the shapes ask for; empty: none does.
std::vector<int64_t> channel_order(const Dims& have, const Dims& want) {
    if (have.size() != want.size() || have.size() < 3) return {};
    const auto last = static_cast<int64_t>(have.size()) - 1;
    std::vector<int64_t> to_front{0, last}, to_back{0};
    for (int64_t i = 1; i < last; ++i) to_front.push_back(i);
    for (int64_t i = 2; i <= last; ++i) to_back.push_back(i);
    to_back.push_back(1);
    for (const auto& order : {to_front, to_back})
        if (std::ranges::equal(order, want, {}, [&](int64_t from) { return have[static_cast<size_t>(from)]; })) return order;
    return {};
}

struct KeyedValue {
    std::string key;
    const Graph* graph;
    ValueId id;

    const std::vector<int>& permutation() const { return graph->value(id).permutation; }
};

std::vector<KeyedValue> values_of(const Graph& graph) {
    std::vector<KeyedValue> values;
    const auto add = [&](const Graph& g, const std::string& path, ValueId id) {
        if (id != ValueId::none && !g.value(id).constant()) values.push_back({path + g.value(id).name, &g, id});
    };
    for_each_graph(graph, [&](const Graph& g, const std::string& path) {
        for (const ValueId id : g.inputs) add(g, path, id);
        for (const NodeId node : g.order())
            for (const ValueId id : g.node(node).out) add(g, path, id);
    });
    return values;
}

std::set<std::string> outputs_of(const Graph& graph) {
    std::set<std::string> names;
    for (const ValueId id : graph.outputs) names.insert(graph.value(id).name);
    return names;
}

// Inputs that the run before fed: the outputs that they come from are compared.
std::set<std::string> carried_names(const CompareSide& a, const CompareSide& b) {
    std::set<std::string> names;
    for (const CompareSide* side : {&a, &b}) {
        if (!side->states) continue;
        for (const auto& [in, out] : side->states->loops) names.insert(side->graph.value(side->graph.inputs[in]).name);
    }
    return names;
}

// TFLite's operators have channels last, and its files do not say where a source had them; values at the borders stay as they were.
bool channels_may_move(const KeyedValue& a, const KeyedValue& b) {
    const auto at_border = [](const KeyedValue& value) {
        return std::ranges::count(value.graph->inputs, value.id) + std::ranges::count(value.graph->outputs, value.id) > 0;
    };
    return !at_border(a) && !at_border(b) && a.permutation().empty() && b.permutation().empty();
}

}  // namespace

Pairs pair_values(const CompareSide& first, const CompareSide& other, bool outputs_only, Comparison& comparison) {
    const Graph &a = first.graph, &b = other.graph;
    const auto outputs = outputs_of(a), carried = carried_names(first, other);
    std::map<std::string, KeyedValue> in_second;
    const std::vector<KeyedValue> second = values_of(b);
    for (const KeyedValue& value : second) in_second.emplace(value.key, value);
    const bool families_differ = is_of_tflite(a) != is_of_tflite(b);
    Pairs pairs;
    std::set<std::string> in_first;
    for (const KeyedValue& value : values_of(a)) {
        in_first.insert(value.key);
        if (carried.contains(value.key)) continue;
        if (outputs_only && !outputs.contains(value.key)) continue;
        const auto partner = in_second.find(value.key);
        if (partner == in_second.end()) {
            comparison.only_first.push_back(value.key);
            continue;
        }
        pairs.emplace(value.key, Pair{comparison.values.size(),
                                      {value.permutation(), partner->second.permutation()},
                                      families_differ && channels_may_move(value, partner->second)});
        comparison.values.push_back({value.key, outputs.contains(value.key), {}});
        if (value.permutation().empty()) comparison.values.back().difference.layout = parts_of(*value.graph, value.id);
    }
    if (outputs_only) return pairs;
    for (const KeyedValue& value : second)
        if (!in_first.contains(value.key) && !carried.contains(value.key)) comparison.only_second.push_back(value.key);
    return pairs;
}

std::pair<Tensor, Tensor> side_by_side(const Pair& pair, const Tensor& a, const Tensor& b, ComparedValue& value) {
    Tensor first = as_in_source(a, pair.permutations[0]), second = as_in_source(b, pair.permutations[1]);
    const auto order = pair.channels_may_move ? channel_order(second.dims, first.dims) : std::vector<int64_t>();
    if (order.empty()) return {std::move(first), std::move(second)};
    if (first.dims != second.dims) {
        value.channels_moved = true;
        return {std::move(first), permuted(second, order)};
    }
    if (first.dims.size() > 3 && first.count() > 1)
        value.difference.mismatch = fmt::format("shape {}: channels may be dim 1 or the last on either side", to_string(first.dims));
    return {std::move(first), std::move(second)};
}

}  // namespace quern
