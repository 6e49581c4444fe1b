// Functions that are not operators, made of operators: each once, for whatever format has it. Operands are of one type and spread over each
// other as those of Add; results have that type. Within two units in the last place of the exact function unless said, and exact where it
// is infinite, not a number, 0 or -0: IEEE 754 and C's annex F say what that is.
#pragma once

#include "libcore/passes/decompose/terms.h"

namespace quern::decompose {

// ---- quotients and remainders: of floats and integers ----
Term floor_quotient(const Term& a, const Term& b);  // floor(a / b), the quotient rounded first, as TensorFlow has it; integers: exact
Term floor_divide(const Term& a, const Term& b);    // the whole number with a = it * b + floor_remainder, as Python and PyTorch have it
Term truncated_quotient(const Term& a, const Term& b);
Term floor_remainder(const Term& a, const Term& b);      // exact, with the sign of b
Term truncated_remainder(const Term& a, const Term& b);  // exact, with the sign of a

// ---- parts of a number ----
Term truncated(const Term& x);
Term fraction(const Term& x);                        // x - truncated(x)
Term copy_sign(const Term& size, const Term& sign);  // also of -0
Term sign_or_zero(const Term& x);                    // Sign, and 0 of what is not a number
Term is_finite(const Term& x);
Term is_nan(const Term& x);
Term not_equal(const Term& a, const Term& b);

// ---- floats ----
Term reciprocal_root(const Term& x);
Term square(const Term& x);
Term squared_difference(const Term& a, const Term& b);
Term logarithm(const Term& x, double base);
Term log1p(const Term& x);
Term expm1(const Term& x);
Term erfc(const Term& x);  // within 1e-12 of itself in float64
Term erf(const Term& x);   // without float64: within 4e-7 of itself
Term hypot(const Term& a, const Term& b);
Term atan(const Term& x);  // of float32
Term atan2(const Term& y, const Term& x);
Term logaddexp(const Term& a, const Term& b);
Term logit(const Term& p);
Term lgamma(const Term& x);   // by Lanczos, g = 7, nine terms, in float64
Term digamma(const Term& x);  // by its asymptotic series, in float64

template <int least, int most>
Term between(const Term& x) {
    const ValueId low = x.to->scalar(least, x.dtype(), "min"), high = x.to->scalar(most, x.dtype(), "max");
    return {x.to, x.to->add(ops::Clip, {x.id, low, high})};
}

// ---- activations ----
Term softplus(const Term& x);
Term softsign(const Term& x);
Term mish(const Term& x);
Term elu(const Term& x, double above, double below, double inner);  // above * x, or below * expm1(x / inner) where x is below 0

// `otherwise` but where `guard` is 0: 0.
Term unless_zero(const Term& guard, const Term& otherwise);

// The product of vectors of three along an axis.
Term cross(const Term& a, const Term& b, int64_t axis);

// The greater (Max) or the lesser (Min) of both, the other where one is not a number.
Term among_numbers(OpId op, const Term& a, const Term& b);

}  // namespace quern::decompose
