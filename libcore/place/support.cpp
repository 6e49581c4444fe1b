#include "libcore/place/support.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/support/violation.h"

namespace quern::place {

std::optional<Refusal> refused_by(const Device& device, const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const std::string name = full_name(*node.op);
    if (!device.lists(name)) {
        const std::string reason = fmt::format("operator {} is not one of {}'s", escape(name), device.name);
        return Refusal{reason, reason};
    }
    const auto first = [&](const std::vector<Constraint>& constraints) -> std::optional<Refusal> {
        for (const Constraint& constraint : constraints)
            if (auto text = violation(constraint, graph, node)) return Refusal{*text, constraint.text()};
        return std::nullopt;
    };
    try {
        if (auto text = first(device.generic)) return text;
        for (const OpSupport& support : device.ops)
            if (std::find(support.ops.begin(), support.ops.end(), name) != support.ops.end())
                if (auto text = first(support.constraints)) return text;
    } catch (const Error& error) {
        return Refusal{error.message(), "attributes and shapes that contradict each other"};  // nothing can run that but by failing
    }
    return std::nullopt;
}

std::optional<std::string> refusal(const Device& device, const Graph& graph, NodeId id) {
    auto refused = refused_by(device, graph, id);
    return refused ? std::optional(std::move(refused->reason)) : std::nullopt;
}

}  // namespace quern::place
