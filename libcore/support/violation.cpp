#include "libcore/support/violation.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/support/quantity.h"

namespace quern::support {
namespace {

bool applies(const Constraint& constraint, const Graph& graph, const Node& node) {
    if (!constraint.except.empty() && std::ranges::find(constraint.except, full_name(*node.op)) != constraint.except.end()) return false;
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

}  // namespace

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

}  // namespace quern::support
