#include "libcore/check/compared_algorithms.h"

#include <algorithm>
#include <utility>

namespace quern {
namespace {

constexpr double tie_db = 0.1;  // so much more or less is chance

bool loses(const Gain& gain) { return gain.db() < -tie_db; }

class AlgorithmComparison {
   public:
    AlgorithmComparison(const Quantizer& quantizer, SplitEvaluators& rows) : quantizer_(quantizer), rows_(rows) {}

    ComparedAlgorithms run() && {
        AlgorithmOptions options = quantizer_.algorithms();
        Candidate best = candidate(options);
        for (const Algorithm* row : quantizer_.algorithms().chosen) {
            if (!changes(best.report, *row)) continue;
            AlgorithmOptions without = options;
            std::erase(without.chosen, row);
            Candidate other = candidate(without);
            made_.all.push_back(compared(row, other, best));
            if (made_.all.back().kept) continue;
            best = std::move(other);
            options = std::move(without);
        }
        made_.judged_before = rows_.judged_before();
        made_.evaluation = rows_.of_outputs(best.graph, best.evaluation);
        made_.graph = std::move(best.graph);
        made_.report = std::move(best.report);
        return std::move(made_);
    }

   private:
    struct Candidate {
        Graph graph;
        QuantReport report;
        Evaluation evaluation;                     // on the rows that choose
        std::optional<Evaluation> held_back = {};  // once it was asked for
    };

    Candidate candidate(const AlgorithmOptions& options) const {
        QuantReport report;
        Graph graph = quantizer_.with_algorithms(options).with_rules({}, &report);
        Evaluation evaluation = rows_.choosing().evaluate(graph);
        return {.graph = std::move(graph), .report = std::move(report), .evaluation = std::move(evaluation)};
    }

    static bool changes(const QuantReport& report, const Algorithm& row) {
        return std::ranges::any_of(report.algorithms, [&](const AlgorithmReport& of) { return of.name == row.name && of.changed() > 0; });
    }

    ComparedAlgorithm compared(const Algorithm* row, Candidate& without, Candidate& with) const {
        ComparedAlgorithm found{
            .row = row, .gain = {without.evaluation.worst_db(), with.evaluation.worst_db()}, .proof = {}, .kept = false};
        found.kept = !loses(found.gain);
        if (!found.kept || !rows_.held_back()) return found;
        const Evaluation& first = on_held_back(without);
        found.proof = Proof{.gain = {first.worst_db(), on_held_back(with).worst_db()}, .results = first.results};
        found.kept = !loses(found.proof->gain);
        return found;
    }

    const Evaluation& on_held_back(Candidate& of) const {
        if (!of.held_back) of.held_back = rows_.held_back()->evaluate(of.graph);
        return *of.held_back;
    }

    const Quantizer& quantizer_;
    SplitEvaluators& rows_;
    ComparedAlgorithms made_;
};

}  // namespace

ComparedAlgorithms compare_algorithms(const Quantizer& quantizer, SplitEvaluators& rows) {
    return AlgorithmComparison(quantizer, rows).run();
}

}  // namespace quern
