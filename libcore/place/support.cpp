#include "libcore/place/support.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/support/violation.h"

namespace quern::place {

std::optional<std::string> refusal(const Device& device, const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const std::string name = full_name(*node.op);
    if (!device.lists(name)) return fmt::format("operator {} is not one of {}'s", escape(name), device.name);
    const auto first = [&](const std::vector<Constraint>& constraints) -> std::optional<std::string> {
        for (const Constraint& constraint : constraints)
            if (auto text = violation(constraint, graph, node)) return text;
        return std::nullopt;
    };
    try {
        if (auto text = first(device.generic)) return text;
        for (const OpSupport& support : device.ops)
            if (std::find(support.ops.begin(), support.ops.end(), name) != support.ops.end())
                if (auto text = first(support.constraints)) return text;
    } catch (const Error& error) {
        return error.message();  // attributes that contradict the shapes: nothing can run that but by failing
    }
    return std::nullopt;
}

}  // namespace quern::place
