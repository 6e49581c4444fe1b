// What the kernels of libcore/integer take beside codes, from encodings: the same numbers for the interpreter and for generated code.
#pragma once

#include <optional>
#include <span>

#include "libcore/graph/encoding.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/pairs.h"
#include "libcore/integer/reduce.h"
#include "libcore/integer/requantize.h"
#include "libcore/integer/softmax.h"
#include "libcore/ops/integer/fixed_point.h"

namespace quern {

// Both operands are brought to twice the greater scale with 20 more bits (15 for 16-bit codes), summed, and brought to the result's.
sum_t sum_parameters(const Encoding& a, const Encoding& b, const Encoding& y, int sign);
// The square of a difference, whose operands get `bits` more bits.
sum_t squared_difference_parameters(const Encoding& a, const Encoding& b, const Encoding& y, int bits);
// 16-bit codes whose scales are powers of two: one operand has the result's scale, the other is shifted to it.
sum_t sum_of_powers_parameters(const Encoding& a, const Encoding& b, const Encoding& y, int sign);
multiply_t product_parameters(const Encoding& a, const Encoding& b, const Encoding& y);
multiply_t quotient_parameters(const Encoding& a, const Encoding& b, const Encoding& y);
compare_t compare_parameters(const Encoding& a, const Encoding& b, bool equality);
slope_t slope_parameters(const Encoding& x, const Encoding& slope, const Encoding& y);
leaky_t leaky_parameters(const Encoding& x, const Encoding& y, float alpha);
rescale_t size_parameters(const Encoding& x, const Encoding& y);  // the quotient of the scales in float32
rescale_t recode_parameters(const Encoding& x, const Encoding& y);
// Results from `min` to `max`, real numbers.
rescale_t bounded_parameters(const Encoding& x, const Encoding& y, std::optional<float> min, std::optional<float> max);

// The division by `count` is part of the factor, which is shifted left first to keep its bits; 1 for sums.
rescale_t mean_parameters(const Encoding& x, const Encoding& y, int64_t count);
// Every product is scaled, by x_scale / y_scale^(1/count), so that none overflows.
rescale_t product_along_parameters(const Encoding& x, const Encoding& y, int64_t count);
// Results in steps of 1/128.
normalize_t normalize_parameters(const Encoding& x, const Encoding& y);

// Exponentials and their sum have 5 and 12 bits before the point. `beta`: what codes are multiplied by.
softmax_t softmax_parameters(const Encoding& x, const Encoding& y, float beta);
// Of 16-bit codes by tables. LiteRT fills them in double, and multiplies scale and beta in float32; TFLite Micro (`micro`) does both the
// other way round. Sums of more codes may overflow.
inline constexpr int64_t max_softmax_16 = 65536;
FixedFactor softmax_factor_16(const Encoding& x, float beta, bool micro);
std::span<const int16_t> softmax_exponentials(bool micro);  // of differences above -10
std::span<const int16_t> softmax_reciprocals(bool micro);   // of the sum

}  // namespace quern
