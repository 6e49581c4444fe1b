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

// Does the node stand in an integer unit that begins with one of the operators, behind nothing but what goes along with them?
bool goes_along(const OpSupport& row, const Graph& graph, NodeId id) {
    const auto name_before = [&](NodeId node) { return node == NodeId::none ? std::string() : full_name(*graph.node(node).op); };
    NodeId before = support::before_in_unit(graph, id);
    while (is_among(row.fused, name_before(before))) before = support::before_in_unit(graph, before);
    return is_among(row.ops, name_before(before));
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

static std::optional<Refusal> refused_by_table(const Device& device, const Graph& graph, NodeId id) {
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

// Says that it is the library's word, which no line of the target's file explains.
static std::optional<Refusal> refused_by_library(const Device& device, const Graph& graph, NodeId id) {
    if (!device.library || device.library->graph != &graph) return std::nullopt;
    const auto found = device.library->refusals.find(id);
    if (found == device.library->refusals.end()) return std::nullopt;
    const std::string who = fmt::format("its library {} refuses it: ", device.backend);
    return Refusal{who + found->second, who + found->second};
}

std::optional<Refusal> refused_by(const Device& device, const Graph& graph, NodeId id) {
    auto refused = refused_by_table(device, graph, id);
    const auto by_library = refused_by_library(device, graph, id);
    if (refused && by_library) refused->reason += "; " + by_library->reason;
    return refused ? refused : by_library;
}

std::optional<std::string> refusal(const Device& device, const Graph& graph, NodeId id) {
    auto refused = refused_by(device, graph, id);
    return refused ? std::optional(std::move(refused->reason)) : std::nullopt;
}

}  // namespace quern::place
