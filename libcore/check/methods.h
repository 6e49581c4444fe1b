// Methods for ranges, each tried on the whole model: they cost nothing where the model runs, as wider types do.
#pragma once

#include "libcore/check/budget.h"

namespace quern {

struct TriedMethod {
    const Method* method;
    double worst_db;
    bool met;
};

struct TriedMethods {
    std::vector<TriedMethod> all;  // in the order of the list of methods; those that the ranges are not enough for are left out
    const Method* best = nullptr;  // that meets the goal, or is at least 1 dB better than the one asked for; nullptr: none
};

// One evaluation each. Nothing is tried for types whose activations have no ranges.
TriedMethods try_methods(const Quantizer& quantizer, Evaluator& evaluator, const Goal& goal, const Evaluation& first);

}  // namespace quern
