// Methods for ranges, each tried on the whole model: they cost nothing where the model runs, as wider types do.
#pragma once

#include "libcore/check/correction.h"

namespace quern {

struct TriedMethod {
    const Method* method;
    double worst_db;
    bool met;
};

struct TriedMethods {
    std::vector<TriedMethod> all;  // in the order of trial; those that the ranges are not enough for are left out
    // That meets the goal, or is at least 1 dB better than the one asked for; without a goal min-max need only be better. nullptr: none.
    const Method* best = nullptr;
    Evaluation evaluation = {};  // with it
};

// One evaluation each. Nothing is tried for types whose activations have no ranges.
TriedMethods try_methods(const Quantizer& quantizer, Evaluator& evaluator, const Goal& goal, const Evaluation& first);

// One method beside another.
struct ProvenMethod {
    const Method *before, *after;
    Proof proof;
};

// What samples say of the method of a request, and of bias correction.
struct ChosenMethod {
    TriedMethods tried;
    // What chooses: the worst output's dB on the rows that choose with the request's method, and with what is chosen. Where outputs
    // saturate it is of what their operators read.
    double first_db = 0, judged_db = 0;
    std::vector<std::string> judged_before = {};  // those operators
    const Method* method = nullptr;               // nullptr: the request's stays
    Evaluation evaluation;                        // of the outputs themselves, with what is chosen, on these rows
    std::vector<ProvenMethod> proofs = {};        // on rows held back
    TriedCorrection correction = {};              // with what is chosen
};

// The best of the tried methods unless it loses on rows held back, or in 8 bits to min-max on all rows; then bias correction, unless it
// loses on rows held back. `exact`: the float model as the quantizer sees it; `evaluator`: over the rows that choose; `how`: of all
// evaluations; `other_methods`: may be tried.
ChosenMethod choose_method(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact,
                           const EvaluateOptions& how, bool other_methods);

}  // namespace quern
