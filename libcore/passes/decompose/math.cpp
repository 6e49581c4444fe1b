#include "libcore/passes/decompose/math.h"

#include <array>
#include <limits>

#include "libcore/ops/shared/portable_math.h"

namespace quern::decompose {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();
const Attrs by_fmod{{"fmod", int64_t{1}}};

bool of_floats(const Term& x) { return is_float(x.dtype()); }

Term both(const Term& a, const Term& b) { return of(ops::And, a, b); }
Term either(const Term& a, const Term& b) { return of(ops::Or, a, b); }
Term size_of(const Term& x) { return of(ops::Abs, x); }
Term is_whole(const Term& x) { return of(ops::Floor, x) == x; }

// 1 / -0 is below 0, as -0 itself is not.
Term is_negative(const Term& x) { return either(x < 0.0, of(ops::Reciprocal, x) < 0.0); }

// Is a remainder, not 0, of the other sign than the divisor?
Term leans_away(const Term& rest, const Term& b) { return both(of(ops::Xor, rest < 0.0, b < 0.0), !(rest == 0.0)); }

// Computed in float32 at least, and rounded once.
template <class Fn>
Term in_float32(const Term& a, const Term& b, const Fn& function) {
    const DType dtype = a.dtype();
    if (dtype == DType::f32 || dtype == DType::f64) return function(a, b);
    return as(function(as(a, DType::f32), as(b, DType::f32)), dtype);
}

Term floor_divide_floats(const Term& a, const Term& b) {
    const Term rest = truncated_remainder(a, b), whole = (a - rest) / b, quotient = a / b;
    const Term rounded = of(ops::Round, where(leans_away(rest, b), whole - 1.0, whole));
    return where(b == 0.0, quotient, where(rounded == 0.0, quotient * 0.0, rounded));
}

// c[0] + c[1] x + ...
template <size_t n>
Term polynomial(const Term& x, const std::array<double, n>& c) {
    Term sum = number(x, c[n - 1]);
    for (size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
    return sum;
}

}  // namespace

// ---- quotients and remainders ----

Term floor_quotient(const Term& a, const Term& b) { return of_floats(a) ? of(ops::Floor, a / b) : floor_divide(a, b); }

Term floor_divide(const Term& a, const Term& b) {
    return of_floats(a) ? in_float32(a, b, floor_divide_floats) : (a - floor_remainder(a, b)) / b;
}

Term truncated_quotient(const Term& a, const Term& b) { return of_floats(a) ? truncated(a / b) : a / b; }

Term floor_remainder(const Term& a, const Term& b) {
    if (!of_floats(a)) return of(ops::Mod, a, b);
    const Term rest = truncated_remainder(a, b);
    return where(leans_away(rest, b), rest + b, rest);
}

Term truncated_remainder(const Term& a, const Term& b) { return of(ops::Mod, a, b, by_fmod); }

// ---- parts of a number ----

Term truncated(const Term& x) { return where(x < 0.0, of(ops::Ceil, x), of(ops::Floor, x)); }
Term fraction(const Term& x) { return x - truncated(x); }

Term copy_sign(const Term& size, const Term& sign) {
    const Term positive = size_of(size);
    return where(is_negative(sign), -positive, positive);
}

Term sign_or_zero(const Term& x) { return where(x == x, of(ops::Sign, x), number(x, 0)); }
Term is_finite(const Term& x) { return size_of(x) < infinity; }
Term not_equal(const Term& a, const Term& b) { return !(a == b); }
Term is_nan(const Term& x) { return not_equal(x, x); }

// ---- floats ----

Term reciprocal_root(const Term& x) { return of(ops::Reciprocal, of(ops::Sqrt, x)); }

Term square(const Term& x) { return x * x; }
Term squared_difference(const Term& a, const Term& b) { return square(a - b); }

Term logarithm(const Term& x, double base) { return of(ops::Log, x) * (1 / portable::log(base)); }

// The error of 1 + x is in the logarithm and in the difference alike (W. Kahan; in D. Goldberg, What every computer scientist should know
// about floating-point arithmetic, 1991, theorem 4).
Term log1p(const Term& x) {
    const Term sum = x + 1.0;
    return where(either(sum == 1.0, sum == infinity), x, of(ops::Log, sum) * (x / (sum - 1.0)));
}

// No difference of what is nearly equal.
Term expm1(const Term& x) { return of(ops::Tanh, x * 0.5) * (of(ops::Exp, x) + 1.0); }

// t exp(p(t) - x x) with t = 2 / (2 + |x|), p of degree 21 by Chebyshev's interpolation of log(erfc(x) / t) + x x over all t; left of 0
// what is left of 2.
Term erfc(const Term& given) {
    constexpr std::array<double, 22> p{-0.6717940840566903,    0.6726432239778217,     0.047343306841332665,    -0.04689561024571166,
                                       -0.009872689339502133,  0.008824938935263605,   0.0017589330595699703,   -0.002345817040411264,
                                       -0.0001462420635759325, 0.0006737090513593518,  -9.37625060511117e-05,   -0.00017442596999566427,
                                       7.150155985697925e-05,  3.206559421540822e-05,  -3.0432773413602292e-05, -4.0637851031393504e-07,
                                       8.966703359129732e-06,  -2.352944696447295e-06, -1.7233176592624477e-06, 8.549461192071435e-07,
                                       1.6415045186187208e-07, -1.1818313828393028e-07};
    const Term x = as(given, DType::f64), size = size_of(x), t = 2.0 / (size + 2.0);
    const Term right = t * of(ops::Exp, polynomial(t * 2.0 - 1.0, p) - size * size);
    return as(where(x < 0.0, 2.0 - right, right), given.dtype());
}

// x p(x x) / q(x x), by least squares of the relative error, weighted again and again, up to 4, where it is 1.
Term erf(const Term& given) {
    constexpr std::array<double, 6> p{1.1283791393955573,    0.19354339374620247,    0.05310152047164573,
                                      0.0038832706424224957, 0.00028456398001369936, 1.9867920776579232e-06};
    constexpr std::array<double, 6> q{
        1.0, 0.5048559230517187, 0.11534930578953959, 0.015207105189138932, 0.0011855528016432384, 3.742017415824719e-05};
    const Term x = of(ops::Min, of(ops::Max, given, -4.0), 4.0), square = x * x;
    return x * polynomial(square, p) / polynomial(square, q);
}

// Neither overflows nor vanishes before the result does; infinite beside what is not a number, too.
Term hypot(const Term& a, const Term& b) {
    const Term x = size_of(a), y = size_of(b), great = of(ops::Max, x, y), small = of(ops::Min, x, y), ratio = small / great;
    const Term length = where(small == 0.0, great, great * of(ops::Sqrt, ratio * ratio + 1.0));
    return where(either(x == infinity, y == infinity), number(a, infinity), length);
}

// Of what is at most tan(pi / 8) by an odd polynomial (S. Moshier, Cephes: atanf); what is greater is turned back by pi / 4 or pi / 2.
Term atan(const Term& x) {
    constexpr std::array<double, 4> p{-3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2};
    constexpr double eighth = 0.41421356237309503, three_eighths = 2.414213562373095;  // their tangents
    const Term size = size_of(x), steep = number(x, three_eighths) < size, turned = number(x, eighth) < size;
    const Term slope = where(steep, -1.0 / size, where(turned, (size - 1.0) / (size + 1.0), size));
    const Term angle = where(steep, number(x, pi / 2), number(x, pi / 4)), signed_slope = where(turned, slope, x);
    const Term square = signed_slope * signed_slope, near = signed_slope * (square * polynomial(square, p) + 1.0), far = angle + near;
    return where(turned, where(x < 0.0, -far, far), near);
}

// By the arctangent of what is at most 1.
Term atan2(const Term& y, const Term& x) {
    const Term across = size_of(x), up = size_of(y), great = of(ops::Max, across, up), small = of(ops::Min, across, up);
    const Term ratio = where(great == 0.0, number(x, 0), where(small == great, number(x, 1), small / great));
    const Term flat = of(ops::Atan, ratio), steep = where(across < up, pi / 2 - flat, flat);
    return copy_sign(where(is_negative(x), pi - steep, steep), y);
}

// Equal infinities have no difference.
Term logaddexp(const Term& a, const Term& b) {
    const Term distance = where(a == b, number(a, 0), size_of(a - b));
    return of(ops::Max, a, b) + log1p(of(ops::Exp, -distance));
}

Term logit(const Term& p) { return of(ops::Log, p / (1.0 - p)); }

// Left of 1/2 by the reflection of 1 - x.
Term lgamma(const Term& given) {
    constexpr std::array<double, 8> terms{676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                                          12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    const Term x = as(given, DType::f64), left = x < 0.5, z = where(left, -x, x - 1.0);
    Term series = number(x, 0.99999999999980993);
    for (size_t i = 0; i < terms.size(); ++i) series = series + terms[i] / (z + static_cast<double>(i + 1));
    const Term t = z + 7.5;
    const Term right = (z + 0.5) * of(ops::Log, t) - t + of(ops::Log, series) + 0.91893853320467274;
    const Term sine = size_of(of(ops::Sin, (x - of(ops::Round, x)) * pi));
    const Term all = where(left, portable::log(pi) - of(ops::Log, sine) - right, right);
    return as(where(either(x == infinity, both(left, is_whole(x))), number(x, infinity), all), given.dtype());
}

// The asymptotic series ten steps further right.
Term digamma(const Term& given) {
    const Term x = as(given, DType::f64), left = x < 0.5, z = where(left, 1.0 - x, x);
    const Term far = z + 10.0, inverse = 1.0 / far, square = inverse * inverse;
    const Term tail = square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240))));
    Term right = of(ops::Log, far) - inverse * 0.5 - tail;
    for (int i = 0; i < 10; ++i) right = right - 1.0 / (z + static_cast<double>(i));
    const Term angle = where(x == 0.0, x, x - of(ops::Round, x)) * pi, turned = right - of(ops::Cos, angle) / of(ops::Sin, angle) * pi;
    const Term all = where(both(x < 0.0, is_whole(x)), number(x, not_a_number), where(left, turned, right));
    return as(all, given.dtype());
}

// ---- activations ----

Term softplus(const Term& x) { return of(ops::Relu, x) + log1p(of(ops::Exp, -size_of(x))); }
Term softsign(const Term& x) { return x / (size_of(x) + 1.0); }
Term mish(const Term& x) { return x * of(ops::Tanh, softplus(x)); }

Term elu(const Term& x, double above, double below, double inner) {
    const Term left = of(ops::Min, x, 0.0);
    return of(ops::Relu, x) * above + of(ops::Elu, inner == 1 ? left : left * (1 / inner)) * below;
}

Term unless_zero(const Term& guard, const Term& otherwise) { return where(guard == 0.0, number(otherwise, 0), otherwise); }

Term cross(const Term& a, const Term& b, int64_t axis) {
    const ValueId next = a.to->integers({1, 2, 0}, "next"), last = a.to->integers({2, 0, 1}, "last");
    const auto turned = [&](const Term& x, ValueId places) { return Term{a.to, a.to->add(ops::Gather, {x, places}, {{"axis", axis}})}; };
    return turned(a, next) * turned(b, last) - turned(a, last) * turned(b, next);
}

Term among_numbers(OpId op, const Term& a, const Term& b) { return of(op, where(a == a, a, b), where(b == b, b, a)); }

}  // namespace quern::decompose
