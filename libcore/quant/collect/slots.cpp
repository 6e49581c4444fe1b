#include "libcore/quant/collect/slots.h"

#include <algorithm>
#include <set>

#include "libcore/quant/collect/masks.h"
#include "libcore/quant/ranges/numbers.h"

namespace quern {

Slots::Slots(const Graph& graph, bool per_channel, const std::vector<std::string>& masks) {
    for_each_graph(graph, [&](const Graph& g, const std::string& path) { add_values(g, path, per_channel); });
    for (const std::string& key : mask_values(graph, masks))
        if (const auto found = by_key.find(key); found != by_key.end()) slots[found->second].mask = true;
    for_each_graph(graph, [&](const Graph& g, const std::string& path) { find_clipped(g, path); });
}

void Slots::add_values(const Graph& graph, const std::string& path, bool per_channel) {
    bodies.push_back(path.substr(0, path.empty() ? 0 : path.size() - 1));
    const std::vector<bool> numbers = numbers_of(graph);
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const ValueId id{static_cast<uint32_t>(i)};
        const Value& value = graph.value(id);
        if (value.erased || value.constant()) continue;
        const bool floating = numbers[i] && (value.type.dtype == DType::none || is_float(value.type.dtype));
        by_key.emplace(path + value.name, slots.size());
        slots.push_back({path + value.name, floating, per_channel ? channel_axis(graph, id) : -1, bodies.size() - 1, false, std::nullopt});
    }
}

void Slots::find_clipped(const Graph& graph, const std::string& path) {
    const auto slot_of = [&](ValueId id) -> std::optional<size_t> {
        if (graph.value(id).type.dtype != DType::f32) return std::nullopt;
        const auto found = by_key.find(path + graph.value(id).name);
        return found == by_key.end() ? std::nullopt : std::optional(found->second);
    };
    const auto captured = [&](ValueId id) { return std::ranges::any_of(graph.captures, [&](const auto& c) { return c.inner == id; }); };
    for (const NodeId id : graph.topo()) {
        const Node& node = graph.node(id);
        const auto bounds = clip_bounds(graph, node);
        if (!bounds || !(bounds->low <= bounds->high) || captured(node.in[0])) continue;  // a capture is observed where it is made
        const auto from = slot_of(node.in[0]), to = slot_of(node.out[0]);
        if (!from || !to) continue;
        const Slot& source = slots[*from];
        Slot& slot = slots[*to];
        if (!source.floating || !slot.floating || source.mask || slot.mask || source.axis != slot.axis) continue;
        slot.clipped = Clipped{*from, *bounds};
        if (!source.clipped) continue;
        const Bounds& first = source.clipped->bounds;
        slot.clipped = Clipped{source.clipped->source,
                               {std::clamp(first.low, bounds->low, bounds->high), std::clamp(first.high, bounds->low, bounds->high)}};
    }
}

int channel_axis(const Graph& graph, ValueId id) {
    const Shape& shape = graph.value(id).type.shape;
    if (!shape.ranked || shape.rank() < 2) return -1;
    if (shape.rank() >= 4) return 1;
    const auto spatial = [](const Node& node) { return node.op->layout == Layout::spatial; };
    const NodeId producer = graph.value(id).producer;
    if (producer != NodeId::none && spatial(graph.node(producer))) return 1;
    for (const NodeId node : graph.order())
        if (spatial(graph.node(node)) && !graph.node(node).in.empty() && graph.node(node).in[0] == id) return 1;
    return static_cast<int>(shape.rank()) - 1;
}

}  // namespace quern
