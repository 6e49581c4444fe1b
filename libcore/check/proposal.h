// What mends a quantized model: a method for ranges and bias correction first, which cost nothing where the model runs, then types by a
// budget, then the proof on rows that chose nothing.
#pragma once

#include "libcore/check/budget.h"
#include "libcore/check/methods.h"

namespace quern {

struct Proposal {
    TriedMethods methods;
    TriedCorrection correction = {};         // of the first type or the next finer one, by the best method
    BudgetOutcome outcome;                   // its evaluations are all that were made
    std::optional<Evaluation> proof = {};    // on rows that chose nothing; none: there were too few, or nothing was chosen
    std::vector<std::string> unproved = {};  // of the goal, what these miss

    bool changes_nothing() const { return outcome.rules.empty() && !methods.best && !correction.chosen; }
    // "bias-correction is worse on 7 rows held back: 33.10 dB (without 34.20 dB)"; "": it is not.
    std::string worse_text() const;
    // "7 rows held back: 47.90 dB, 46.10 to 50.20 by row", or that there are too few; "": nothing was changed.
    std::string proof_text() const;
};

// `evaluator` is over the rows that choose; `exact`: the float model as the quantizer sees it; `how`: of all evaluations. Where nothing is
// changed the outcome's evaluation is over all rows.
Proposal propose(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact, const EvaluateOptions& how,
                 BudgetOptions options);

}  // namespace quern
