#include "libcore/place/support.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/place/quantity.h"

namespace quern::place {
namespace {

bool applies(const Constraint& constraint, const Graph& graph, const Node& node) {
    if (std::find(constraint.except.begin(), constraint.except.end(), full_name(*node.op)) != constraint.except.end()) return false;
    return std::all_of(constraint.when.begin(), constraint.when.end(), [&](const Condition& condition) {
        const auto observed = condition.quantity->observe(graph, node, condition.argument);
        return !observed.empty() &&
               std::all_of(observed.begin(), observed.end(), [&](const Observed& item) { return condition.holds(item.fact); });
    });
}

std::string circumstances(const Constraint& constraint) {
    std::string out;
    for (size_t i = 0; i < constraint.when.size(); ++i)
        out += fmt::format("{} {} is {}", i == 0 ? " where" : " and", constraint.when[i].name(), constraint.when[i].demand());
    return out;
}

std::optional<std::string> violation(const Constraint& constraint, const Graph& graph, const Node& node) {
    if (!applies(constraint, graph, node)) return std::nullopt;
    for (const Observed& item : constraint.quantity->observe(graph, node, constraint.argument)) {
        if (constraint.holds(item.fact)) continue;
        const std::string got = std::holds_alternative<std::monostate>(item.fact) ? "unknown" : to_string(item.fact);
        std::string text = fmt::format("{}{}{} is {}, need {}{}", constraint.name(), item.label.empty() ? "" : " of ", item.label, got,
                                       constraint.demand(), circumstances(constraint));
        if (!constraint.why.empty()) text += fmt::format(" ({})", escape(constraint.why));
        return text;
    }
    return std::nullopt;
}

}  // namespace

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
