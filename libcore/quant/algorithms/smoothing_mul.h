// Smoothing where nothing can take the division: a Mul before the products, one for all that read a value and are to be treated. It stays
// float, and what it reads must be float as well: behind a grid a division gains nothing.
#pragma once

#include <set>
#include <vector>

#include "libcore/quant/algorithms/smoothing.h"

namespace quern {

// A value and the products that read it and are to be treated.
struct MulSmoothing {
    Smoothing smoothing;
    bool rounded = false;  // is the value itself on a grid, so that nothing is gained?
};

// Products that the quantizer gives codes, as it does on a copy of the graph, and whose input it rounds; but for those that read `judged`
// values.
std::vector<MulSmoothing> mul_smoothings_of(const AlgorithmRun& run, const std::set<ValueId>& judged);

// Puts the Mul there, which divides by `factors`; other readers keep the value as it is. Returns what it makes.
ValueId put_mul(AlgorithmRun& run, const Smoothing& smoothing, const std::vector<double>& factors);

}  // namespace quern
