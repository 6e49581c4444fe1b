#include "libcore/place/support.h"

#include <algorithm>

#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/support/units.h"
#include "libcore/support/violation.h"

namespace quern::place {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

// The node before `node` in its integer unit; nullptr if the unit begins with it.
const Node* before_in_unit(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const ValueId read = node.in.empty() ? ValueId::none : node.in[0];
    const NodeId maker = read == ValueId::none ? NodeId::none : graph.value(read).producer;
    if (maker == NodeId::none || graph.node(maker).out[0] != read || next_in_unit(graph, read) != id) return nullptr;
    return &graph.node(maker);
}

// Does the node stand in an integer unit that begins with one of the operators, behind nothing but what goes along with them?
bool goes_along(const OpSupport& support, const Graph& graph, NodeId id) {
    const Node* before = before_in_unit(graph, id);
    while (before && is_among(support.fused, full_name(*before->op))) before = before_in_unit(graph, graph.value(before->out[0]).producer);
    return before && is_among(support.ops, full_name(*before->op));
}

// An operator that is in no list of `ops`: it may go along with one that is.
std::optional<Refusal> refused_alone(const Device& device, const Graph& graph, NodeId id, const std::string& name) {
    std::vector<std::string> heads;
    for (const OpSupport& support : device.ops) {
        if (!is_among(support.fused, name)) continue;
        if (goes_along(support, graph, id)) return std::nullopt;
        heads.insert(heads.end(), support.ops.begin(), support.ops.end());
    }
    const std::string reason = heads.empty() ? fmt::format("operator {} is not one of {}'s", escape(name), device.name)
                                             : fmt::format("operator {} is one of {}'s only in the integer unit of {}", escape(name),
                                                           device.name, join(few_of(heads), ", "));
    return Refusal{reason, reason};
}

}  // namespace

std::optional<Refusal> refused_by(const Device& device, const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const std::string name = full_name(*node.op);
    if (!device.lists(name))
        if (auto refused = refused_alone(device, graph, id, name)) return refused;
    const auto first = [&](const std::vector<Constraint>& constraints) -> std::optional<Refusal> {
        for (const Constraint& constraint : constraints)
            if (auto text = violation(constraint, graph, node)) return Refusal{*text, constraint.text()};
        return std::nullopt;
    };
    try {
        if (auto text = first(device.generic)) return text;
        for (const OpSupport& support : device.ops)
            if (is_among(support.ops, name))
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
