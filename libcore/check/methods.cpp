#include "libcore/check/methods.h"

namespace quern {
namespace {

constexpr double min_gain_db = 1;

std::optional<TriedMethod> tried(const Quantizer& quantizer, Evaluator& evaluator, const Goal& goal, const Method& method) {
    try {
        const Evaluation evaluation = evaluator.evaluate(quantizer.with_method(method).with_rules({}));
        return TriedMethod{&method, evaluation.worst_db(), goal.is_met(evaluation)};
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
    for (const Method& method : all_methods()) {
        if (&method == request.search.method) continue;
        const auto made = tried(quantizer, evaluator, goal, method);
        if (!made) continue;
        found.all.push_back(*made);
        if (made->met > best.met || (made->met == best.met && made->worst_db > best.worst_db)) best = *made;
    }
    found.best = best.method;
    return found;
}

}  // namespace quern
