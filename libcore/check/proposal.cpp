#include "libcore/check/proposal.h"

#include <cmath>

namespace quern {

Proposal propose(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact, const EvaluateOptions& how,
                 BudgetOptions options) {
    Proposal made;
    const uint64_t before = evaluator.count(), proofs = split.held_back() ? 1 : 0;
    if (!options.first) options.first = evaluator.evaluate(quantizer.with_rules({}));
    if (options.other_methods && !options.goal.is_met(*options.first))
        made.methods = try_methods(quantizer, evaluator, options.goal, *options.first);
    if (made.methods.best) options.first = std::move(made.methods.evaluation);
    const Quantizer chosen = made.methods.best ? quantizer.with_method(*made.methods.best) : quantizer;
    const uint64_t spent = evaluator.count() - before + proofs;
    options.max_evaluations -= std::min(options.max_evaluations, spent);
    made.outcome = meet_budget(chosen, split.choosing(), evaluator, options);
    if (proofs > 0) {
        const bool nothing = made.changes_nothing();
        Evaluation proof =
            Evaluator(exact, nothing ? split.all() : *split.held_back(), how).evaluate(chosen.with_rules(made.outcome.rules));
        made.unproved = options.goal.missed(proof);
        (nothing ? made.outcome.evaluation : made.proof.emplace()) = std::move(proof);
    }
    made.outcome.evaluations = evaluator.count() - before + proofs;
    return made;
}

std::string Proposal::proof_text() const {
    if (changes_nothing()) return {};
    if (!proof)
        return fmt::format("all {} rows chose, none is left to prove it: {} or more are needed", outcome.evaluation.results,
                           Split::min_rows);
    std::string text = fmt::format("{} rows held back: ", proof->results);
    if (const std::string scores = scores_text(*proof); !scores.empty()) text += scores + ", ";
    if (!std::isfinite(proof->worst_db())) return text + "equal";
    const Difference::Spread spread = proof->worst()->difference.spread();
    return text + fmt::format("{:.2f} dB, {:.2f} to {:.2f} by row", proof->worst_db(), spread.lowest, spread.highest);
}

}  // namespace quern
