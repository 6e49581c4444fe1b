#include "libcore/check/correction.h"

#include <algorithm>

namespace quern {
namespace {

constexpr double min_gain_db = 0.5;

// Nothing: no bias is corrected, or the algorithm does not go with this model.
std::optional<Graph> corrected_by(const Quantizer& quantizer, const SampleFeed& feed) {
    if (!quantizer.request().scheme->full()) return std::nullopt;
    QuantReport report;
    try {
        Graph graph = quantizer.with_algorithms(correction_by(&feed)).with_rules({}, &report);
        if (std::ranges::any_of(report.algorithms, &AlgorithmReport::changed)) return graph;
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Proof> prove(Evaluator* held_back, const Graph& before, const Graph& after) {
    if (!held_back) return {};
    const Evaluation first = held_back->evaluate(before);
    return Proof{.gain = {first.worst_db(), held_back->evaluate(after).worst_db()}, .results = first.results};
}

AlgorithmOptions correction_by(const SampleFeed* feed) {
    constexpr size_t rows = 512;  // of a layer, that judge its own correction; means are of all
    return {.chosen = {&algorithm_named("bias-correction")}, .feed = feed, .rows = rows};
}

TriedCorrection try_correction(const Quantizer& quantizer, const SampleFeed& feed, Evaluator& evaluator, Evaluator* held_back,
                               const Goal& goal, const Evaluation& first) {
    TriedCorrection made;
    made.type = quantizer.request().scheme;
    std::optional<Graph> corrected = corrected_by(quantizer, feed);
    if (!corrected) return made;
    made.evaluation = evaluator.evaluate(*corrected);
    made.gain = Gain{first.worst_db(), made.evaluation.worst_db()};
    const bool reaches = goal.is_met(made.evaluation) && !goal.is_met(first);
    if (!reaches && made.gain->db() < min_gain_db) return made;
    made.proof = prove(held_back, quantizer.with_rules({}), *corrected);
    made.chosen = !made.proof || made.proof->holds();
    if (made.chosen) made.graph = std::move(corrected);
    return made;
}

}  // namespace quern
