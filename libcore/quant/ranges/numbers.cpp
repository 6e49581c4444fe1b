#include "libcore/quant/ranges/numbers.h"

#include <algorithm>

#include "libcore/graph/op.h"

namespace quern {
namespace {

// Does the operand say where or how much, not what?
bool is_place(const Op& op, size_t input) {
    if (has(op.traits, Trait::shape_only)) return true;
    return input < 32 && (op.quant.places >> input & 1u) != 0;
}

}  // namespace

std::vector<bool> numbers_of(const Graph& graph) {
    const auto uses = graph.all_uses();
    std::vector<bool> numbers(graph.value_count(), true);
    const auto decide = [&](ValueId id) {
        const auto& readers = uses[index_of(id)];
        numbers[index_of(id)] = readers.empty() || std::ranges::any_of(readers, [&](const Use& use) {
                                    if (use.node == NodeId::none || use.index < 0) return true;
                                    const Node& node = graph.node(use.node);
                                    if (is_place(*node.op, static_cast<size_t>(use.index))) return false;
                                    return !hands_numbers_on(*node.op) || std::ranges::any_of(node.out, [&](ValueId out) {
                                        return out != ValueId::none && numbers[index_of(out)];
                                    });
                                });
    };
    const std::vector<NodeId> order = graph.topo();
    for (auto it = order.rbegin(); it != order.rend(); ++it)
        for (const ValueId out : graph.node(*it).out)
            if (out != ValueId::none) decide(out);
    for (const ValueId input : graph.inputs) decide(input);
    for (const Graph::Capture& capture : graph.captures) decide(capture.inner);
    return numbers;
}

}  // namespace quern
