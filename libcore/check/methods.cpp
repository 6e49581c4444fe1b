#include "libcore/check/methods.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "libcore/quantize/sample_feed.h"

namespace quern {
namespace {

constexpr double min_gain_db = 1, min_correction_db = 0.5;
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

AlgorithmOptions correction_by(const SampleFeed* feed) {
    constexpr size_t rows = 512;  // of a layer, that judge its own correction; means are of all
    return {.chosen = {&algorithm_named("bias-correction")}, .feed = feed, .rows = rows};
}

namespace {

class ChoiceBySamples {
   public:
    ChoiceBySamples(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact, const EvaluateOptions& how)
        : quantizer_(quantizer), split_(split), evaluator_(evaluator) {
        if (split.held_back()) proof_.emplace(exact, *split.held_back(), how);
    }

    ChosenMethod run() && {
        made_.evaluation = evaluator_.evaluate(quantizer_.with_rules({}));
        made_.first_db = made_.evaluation.worst_db();
        choose_method();
        correct_biases();
        return std::move(made_);
    }

   private:
    void choose_method() {
        made_.tried = try_methods(quantizer_, evaluator_, {}, made_.evaluation);
        const Method* best = made_.tried.best;
        if (!best) return;
        const Quantizer other = quantizer_.with_method(*best);
        made_.method_proof = proof_of(quantizer_.with_rules({}), other.with_rules({}));
        if (!holds(made_.method_proof)) return;
        made_.method = best;
        made_.evaluation = made_.tried.evaluation;
    }

    void correct_biases() {
        if (!quantizer_.request().scheme->full()) return;
        const Quantizer chosen = made_.method ? quantizer_.with_method(*made_.method) : quantizer_;
        const std::optional<Graph> corrected = corrected_by(chosen);
        if (!corrected) return;
        Evaluation evaluation = evaluator_.evaluate(*corrected);
        made_.correction = Gain{made_.evaluation.worst_db(), evaluation.worst_db()};
        if (made_.correction->after_db < made_.correction->before_db + min_correction_db) return;
        made_.correction_proof = proof_of(chosen.with_rules({}), *corrected);
        made_.corrected = holds(made_.correction_proof);
        if (made_.corrected) made_.evaluation = std::move(evaluation);
    }

    // Nothing: no bias is corrected, or the algorithm does not go with this model.
    std::optional<Graph> corrected_by(const Quantizer& chosen) const {
        const SampleFeed feed = sample_feed(split_.choosing());
        QuantReport report;
        try {
            Graph graph = chosen.with_algorithms(correction_by(&feed)).with_rules({}, &report);
            if (std::ranges::any_of(report.algorithms, &AlgorithmReport::changed)) return graph;
        } catch (const Error& error) {
            if (error.exit() == Exit::bug) throw;
        }
        return std::nullopt;
    }

    std::optional<Gain> proof_of(const Graph& before, const Graph& after) {
        if (!proof_) return {};
        const Evaluation first = proof_->evaluate(before);
        made_.held_back = first.results;
        return Gain{first.worst_db(), proof_->evaluate(after).worst_db()};
    }
    static bool holds(const std::optional<Gain>& proof) { return !proof || proof->after_db >= proof->before_db; }

    const Quantizer& quantizer_;
    const Split& split_;
    Evaluator& evaluator_;
    std::optional<Evaluator> proof_;
    ChosenMethod made_;
};

}  // namespace

ChosenMethod choose_method(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact,
                           const EvaluateOptions& how) {
    return ChoiceBySamples(quantizer, split, evaluator, exact, how).run();
}

}  // namespace quern
