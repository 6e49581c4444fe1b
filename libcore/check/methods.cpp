#include "libcore/check/methods.h"

#include <array>
#include <optional>
#include <utility>

namespace quern {
namespace {

constexpr double min_gain_db = 1;
// Those that are best of all on some net or other. Each costs an evaluation.
constexpr std::array<std::string_view, 3> candidates{"min-max", "sqnr", "optimal"};

std::optional<Evaluation> tried(const Quantizer& quantizer, Evaluator& evaluator, const Method& method) {
    try {
        return evaluator.evaluate(quantizer.with_method(method).with_rules({}));
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return std::nullopt;  // ranges without histograms, or without runs
    }
}

}  // namespace

TriedMethods try_methods(const Quantizer& quantizer, Evaluator& evaluator, const Goal& goal, const Evaluation& first) {
    TriedMethods found;
    const QuantRequest& request = quantizer.request();
    if (!request.scheme->full()) return found;
    TriedMethod best{nullptr, first.worst_db() + min_gain_db, goal.is_met(first)};
    for (const std::string_view name : candidates) {
        const Method& method = method_named(name);
        if (&method == request.search.method) continue;
        auto evaluation = tried(quantizer, evaluator, method);
        if (!evaluation) continue;
        const TriedMethod made{&method, evaluation->worst_db(), goal.is_met(*evaluation)};
        found.all.push_back(made);
        if (std::pair(made.met, made.worst_db) <= std::pair(best.met, best.worst_db)) continue;
        best = made;
        found.evaluation = std::move(*evaluation);
    }
    found.best = best.method;
    return found;
}

ChosenMethod choose_method(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact,
                           const EvaluateOptions& how) {
    ChosenMethod made;
    made.evaluation = evaluator.evaluate(quantizer.with_rules({}));
    made.first_db = made.evaluation.worst_db();
    made.tried = try_methods(quantizer, evaluator, {}, made.evaluation);
    const Method* best = made.tried.best;
    if (best && split.held_back()) {
        Evaluator proof(exact, *split.held_back(), how);
        const Evaluation first = proof.evaluate(quantizer.with_rules({}));
        made.proof = {first.results, first.worst_db(), proof.evaluate(quantizer.with_method(*best).with_rules({})).worst_db()};
        if (made.proof->best_db < made.proof->first_db) best = nullptr;
    }
    if (best) made.evaluation = made.tried.evaluation;
    made.method = best;
    return made;
}

}  // namespace quern
