// Fixed-point arithmetic of the TFLite specification: 32-bit numbers with rounding and saturation, as the gemmlowp library defines it.
#pragma once

#include <cstdint>

namespace quern {

// High half of 2 * a * b, rounded to nearest, ties up; saturates where both are the least number.
int32_t doubling_high_product(int32_t a, int32_t b);
// x / 2^exponent rounded to nearest, ties away from zero. exponent in [0, 31].
int32_t rounded_shift(int32_t x, int exponent);
// x * 2^exponent, saturated.
int32_t saturated_shift(int32_t x, int exponent);

// A positive real factor as factor / 2^31 * 2^shift with 31 significant bits.
struct FixedFactor {
    int32_t factor = 0;
    int shift = 0;

    static FixedFactor of(double real);
    // x * real, rounded twice: the product of the high halves, then the shift.
    int32_t times(int32_t x) const;
    // For sums of 16-bit codes, |x| < 2^47: the factor is cut to 16 bits, the product rounded once, ties up.
    int32_t times_wide(int64_t x) const;
};

// exp(x) for x <= 0 given with 26 fractional bits, as a fraction of 2^31 (exp(0) is 2^31 - 1).
int32_t exp_of_negative(int32_t x);
// 1 / (1 + x) for x in [0, 1), both as fractions of 2^31.
int32_t reciprocal_of_one_plus(int32_t x);
// 1 / sqrt(x) as a factor, of x > 0; 1 for 0.
FixedFactor inverse_root(int32_t x);

}  // namespace quern
