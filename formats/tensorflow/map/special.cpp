// Functions that have no operator of ours: series in float64.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

constexpr DType wide = DType::f64;
constexpr double pi = 3.14159265358979323846;

// Arithmetic of values in float64.
struct Term {
    Site* site;
    ValueId id;
};
Term term(Site* site, double item) { return {site, site->scalar(item, wide)}; }
Term both(OpId op, const Term& a, const Term& b) { return {a.site, a.site->emit(op, {a.id, b.id})}; }
Term of(OpId op, const Term& a) { return {a.site, a.site->emit(op, {a.id})}; }
Term operator+(const Term& a, const Term& b) { return both(ops::Add, a, b); }
Term operator-(const Term& a, const Term& b) { return both(ops::Sub, a, b); }
Term operator*(const Term& a, const Term& b) { return both(ops::Mul, a, b); }
Term operator/(const Term& a, const Term& b) { return both(ops::Div, a, b); }
Term operator+(const Term& a, double b) { return a + term(a.site, b); }
Term operator*(const Term& a, double b) { return a * term(a.site, b); }
Term operator-(double a, const Term& b) { return term(b.site, a) - b; }
Term operator/(double a, const Term& b) { return term(b.site, a) / b; }
Term where(ValueId condition, const Term& a, const Term& b) { return {a.site, a.site->emit(ops::Where, {condition, a.id, b.id})}; }

bool give_as(Site& site, const Term& result) { return give(site, site.cast(result.id, site.dtype(0))); }

// Left of 1/2 by the reflection of 1 - x.
ValueId is_left(const Term& x) { return x.site->emit(ops::Less, {x.id, term(x.site, 0.5).id}); }

// Lanczos, g = 7, nine terms.
bool lgamma(Site& site) {
    constexpr std::array<double, 8> terms{676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                                          12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    const Term x{&site, site.cast(site.in(0), wide)};
    const ValueId left = is_left(x);
    const Term z = where(left, 0.0 - x, x + -1.0);
    Term series = term(&site, 0.99999999999980993);
    for (size_t i = 0; i < terms.size(); ++i) series = series + terms[i] / (z + static_cast<double>(i + 1));
    const Term t = z + 7.5;
    const Term right = (z + 0.5) * of(ops::Log, t) - t + of(ops::Log, series) + 0.91893853320467274;
    const Term turned = of(ops::Log, pi / of(ops::Abs, of(ops::Sin, x * pi))) - right;
    return give_as(site, where(left, turned, right));
}

// The asymptotic series ten steps further right.
bool digamma(Site& site) {
    const Term x{&site, site.cast(site.in(0), wide)};
    const ValueId left = is_left(x);
    const Term z = where(left, 1.0 - x, x);
    const Term far = z + 10.0, inverse = 1.0 / far, square = inverse * inverse;
    const Term tail = square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240))));
    Term right = of(ops::Log, far) - inverse * 0.5 - tail;
    for (int i = 0; i < 10; ++i) right = right - 1.0 / (z + static_cast<double>(i));
    const Term turned = right - pi / of(ops::Tan, x * pi);
    return give_as(site, where(left, turned, right));
}

constexpr std::array special_table{
    MapRow{"Digamma", "Div Log Tan Where", digamma},
    MapRow{"Lgamma", "Div Log Sin Where", lgamma},
};

}  // namespace

std::span<const MapRow> special_rows() { return special_table; }

}  // namespace quern::tensorflow_format
