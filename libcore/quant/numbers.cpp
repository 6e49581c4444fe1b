#include "libcore/quant/numbers.h"

#include <algorithm>
#include <array>

#include "libcore/graph/op.h"

namespace quern {
namespace {

// Operands that say where or how much, not what: bit i is input i.
struct Places {
    std::string_view op;
    uint32_t inputs;
};
constexpr std::array places{
    Places{"Gather", 0b10},       Places{"GatherElements", 0b10}, Places{"GatherND", 0b10},  Places{"ScatterElements", 0b10},
    Places{"ScatterND", 0b10},    Places{"Reshape", 0b10},        Places{"Expand", 0b10},    Places{"Slice", 0b11110},
    Places{"Tile", 0b10},         Places{"Pad", 0b1010},          Places{"Resize", 0b1110},  Places{"ConstantOfShape", 0b1},
    Places{"OneHot", 0b11},       Places{"TopK", 0b10},           Places{"Unsqueeze", 0b10}, Places{"Squeeze", 0b10},
    Places{"Split", 0b10},        Places{"Trilu", 0b10},          Places{"CumSum", 0b10},    Places{"ReduceSum", 0b10},
    Places{"ReduceMean", 0b10},   Places{"ReduceMax", 0b10},      Places{"ReduceMin", 0b10}, Places{"AffineGrid", 0b10},
    Places{"CenterCropPad", 0b10}};

bool is_place(const Op& op, size_t input) {
    if (has(op.traits, Trait::shape_only)) return true;
    return op.domain.empty() && std::ranges::any_of(places, [&](const Places& row) {
               return row.op == op.name && input < 32 && (row.inputs >> input & 1u) != 0;
           });
}

// Do the results depend on input numbers one by one, so that who reads them decides?
bool hands_on(const Op& op) {
    return has(op.traits, Trait::elementwise) || has(op.traits, Trait::data_movement) ||
           (op.domain.empty() && (op.name == "Cast" || op.name == "Where"));
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
                                    return !hands_on(*node.op) || std::ranges::any_of(node.out, [&](ValueId out) {
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
