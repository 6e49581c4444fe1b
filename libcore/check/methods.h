// Methods for ranges, each tried on the whole model: they cost nothing where the model runs, as wider types do.
#pragma once

#include "libcore/check/budget.h"
#include "libcore/check/split.h"

namespace quern {

struct TriedMethod {
    const Method* method;
    double worst_db;
    bool met;
};

struct TriedMethods {
    std::vector<TriedMethod> all;  // in the order of trial; those that the ranges are not enough for are left out
    const Method* best = nullptr;  // that meets the goal, or is at least 1 dB better than the one asked for; nullptr: none
    Evaluation evaluation = {};    // with it
};

// One evaluation each. Nothing is tried for types whose activations have no ranges.
TriedMethods try_methods(const Quantizer& quantizer, Evaluator& evaluator, const Goal& goal, const Evaluation& first);

// What samples say of the method of a request.
struct ChosenMethod {
    TriedMethods tried;
    double first_db = 0;             // the worst output with the request's method, on the rows that choose
    const Method* method = nullptr;  // nullptr: the request's stays
    Evaluation evaluation;           // with the chosen one, on these rows
    struct Proof {
        uint64_t results;
        double first_db, best_db;  // on the rows held back, with the request's method and with the best of those tried
    };
    std::optional<Proof> proof = {};  // none: there are too few rows, or none was better
};

// The best of the tried methods, unless it loses more than the request's on rows held back. `exact`: the float model as the quantizer sees
// it; `evaluator`: over the rows that choose; `how`: of all evaluations.
ChosenMethod choose_method(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact,
                           const EvaluateOptions& how);

}  // namespace quern
