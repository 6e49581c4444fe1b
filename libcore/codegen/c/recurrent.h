// What the C of recurrent layers and of SVDF have in common: states, and products with weights in codes.
#pragma once

#include <string>
#include <string_view>

#include "libcore/codegen/c/product.h"

namespace quern::cgen {

// The state's memory, which begins as input `in` or 0 and ends as output `out`.
std::string state(Emit& e, size_t in, size_t out, int64_t count);
// Final states leave as real numbers, or as codes of their own encodings.
void give_state(Emit& e, size_t out_at, size_t in_at, const std::string& codes, int64_t count);

// How real data are rounded beside weights in codes.
Rounding rounding_of(Emit& e);
// The kernel `piece`, which rounds real numbers to codes and multiplies them by rows of weights.
std::string coded_rows_kernel(Emit& e, std::string_view piece, const Rounding& rounding);

// Throws Exit::unsupported if input `at` is there with another count of numbers.
void need_count(Emit& e, size_t at, int64_t count);

}  // namespace quern::cgen
