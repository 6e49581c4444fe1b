// Values of two models that are compared: those of the same name, brought to one order of dims.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/runs/difference.h"

namespace quern {

// How the dims of a value lie on either side: those of a moved value are permuted (Value::permutation).
struct Pair {
    size_t place;  // in Comparison::values
    std::array<std::vector<int>, 2> permutations;
    bool channels_may_move;  // between the two
};
using Pairs = std::unordered_map<std::string, Pair>;

// Adds to `comparison` the values that are compared, and the names of those without a partner.
Pairs pair_values(const CompareSide& first, const CompareSide& other, bool outputs_only, Comparison& comparison);

// Both in the order of dims in which they are compared; notes in `value` what was moved, or why they cannot be compared.
std::pair<Tensor, Tensor> side_by_side(const Pair& pair, const Tensor& a, const Tensor& b, ComparedValue& value);

}  // namespace quern
