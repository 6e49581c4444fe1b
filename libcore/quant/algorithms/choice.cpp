#include "libcore/quant/algorithms/choice.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace quern {
namespace {

bool contains(const std::vector<const Algorithm*>& rows, const Algorithm& row) { return std::ranges::find(rows, &row) != rows.end(); }

}  // namespace

AlgorithmChoice::AlgorithmChoice(const std::vector<const Algorithm*>& flags, const Rules* rules)
    : flags_(flags), all_(flags), rules_(rules) {
    if (!rules) return;
    std::vector<const Algorithm*> named;
    rules->each([&](const std::string& place, const Rule& rule) {
        if (!rule.algorithms) return;
        if (place == "io") throw bad_input("io.algorithms is for nodes, not for inputs and outputs");
        try {
            for (const Algorithm* row : algorithms_named(*rule.algorithms)) named.push_back(row);
        } catch (const Error& error) {
            throw bad_input("{}.algorithms: {}", place, error.message()).with_hint(error.hint());
        }
    });
    for (const Algorithm& row : all_algorithms())
        if (contains(named, row) && !contains(all_, row)) all_.push_back(&row);
}

bool AlgorithmChoice::takes(const Algorithm& row, const Node& node, const std::string& path) const {
    const auto match = rules_ ? rules_->match(node, path) : Rules::Match();
    if (!match.rule || !match.rule->algorithms) return contains(flags_, row);
    return std::ranges::find(*match.rule->algorithms, row.name) != match.rule->algorithms->end();
}

bool AlgorithmRun::takes(const Node& node, const std::string& path) const { return choice.takes(*row, node, path); }

}  // namespace quern
