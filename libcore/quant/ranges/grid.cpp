#include "libcore/quant/ranges/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// To the nearest whole number, ties to even; steps are far fewer than 2^51.
double nearest(double u) {
    constexpr double shift = 0x1.8p52;
    return (u + shift) - shift;
}

// Twelve times the integral of (u - round(u))^2 from 0 to u.
double rounding_integral(double u) {
    const double whole = nearest(u), rest = u - whole;
    return whole + 4 * rest * rest * rest;
}

// Where the steps of a float8 change.
struct FloatSteps {
    double least;   // step of the subnormal numbers and those up to `normal`
    double normal;  // twice the least normal number

    explicit FloatSteps(DType storage) : least(static_cast<double>(small_float_to_float(storage, 1))), normal(least) {
        for (uint8_t code = 1; static_cast<double>(small_float_to_float(storage, code)) == code * least; ++code) normal = code * least;
    }
    double at(double x) const { return x < normal ? least : std::ldexp(least, std::ilogb(x / normal) + 1); }
    double end(double x) const { return x < normal ? normal : std::ldexp(normal, std::ilogb(x / normal) + 1); }
};

// Mean squared rounding error of numbers spread evenly over [a, b], in steps.
double mean_rounding(double a, double b) {
    if (b - a < 1e-6) {
        const double middle = (a + b) / 2, rest = middle - nearest(middle);
        return rest * rest;
    }
    return (rounding_integral(b) - rounding_integral(a)) / (12 * (b - a));
}

// Mean squared rounding error of numbers spread evenly over [a, b], in units of the scale: between powers of two the steps of a float are
// of one size, and its powers of two are on the grids of both sides.
double mean_rounding(double a, double b, const FloatSteps& steps) {
    if (a < 0 && b > 0) return (-a * mean_rounding(0, -a, steps) + b * mean_rounding(0, b, steps)) / (b - a);
    if (a < 0) return mean_rounding(-b, -a, steps);
    if (b - a < 1e-6 * steps.at(b)) return mean_rounding(a / steps.at(b), b / steps.at(b)) * steps.at(b) * steps.at(b);
    double sum = 0;
    for (double from = a; from < b;) {
        const double step = steps.at(from), to = std::min(b, steps.end(from));
        sum += (to - from) * mean_rounding(from / step, to / step) * step * step;
        from = to;
    }
    return sum / (b - a);
}

// Mean of (x - edge)^2 over [a, b].
double mean_square(double a, double b, double edge) {
    const double x = a - edge, y = b - edge;
    return (x * x + x * y + y * y) / 3.0;
}

// Joins neighbours of one sign (masses run away from zero) until at most `most` are left; the octaves farthest from zero, which
// decide, stay fine longest because joined masses span equal shares of the range where possible.
void join(std::vector<Mass>& masses, size_t most) {
    if (most == 0 || masses.size() <= most) return;
    const double span = std::max(std::abs(masses.front().lo), std::abs(masses.back().hi)), width = span / static_cast<double>(most);
    std::vector<Mass> joined;
    for (const Mass& mass : masses) {
        if (!joined.empty() && mass.hi - joined.back().lo <= width) {
            joined.back().hi = mass.hi;
            joined.back().weight += mass.weight;
        } else {
            joined.push_back(mass);
        }
    }
    masses = std::move(joined);
}

}  // namespace

std::vector<Mass> masses_of(const ValueRange& range, size_t most) {
    const double span = std::max(std::abs(static_cast<double>(range.min)), std::abs(static_cast<double>(range.max)));
    const double tiny = std::ldexp(span, -20);
    std::vector<Mass> below, above;
    Mass zero{0, 0, 0};
    for (const auto& [bin, count] : range.histogram.bins) {
        const auto [first, second] = Histogram::edges(bin);
        const auto weight = static_cast<double>(count);
        if (std::abs(static_cast<double>(second)) < tiny) {
            zero.weight += weight;
        } else if (second < 0) {
            below.push_back({std::max<double>(second, range.min), std::min<double>(first, range.max), weight});
        } else {
            above.push_back({std::max<double>(first, range.min), std::min<double>(second, range.max), weight});
        }
    }
    std::reverse(below.begin(), below.end());  // bins of negative numbers run away from zero
    join(below, most);
    join(above, most);
    if (zero.weight > 0) below.push_back(zero);
    below.insert(below.end(), above.begin(), above.end());
    return below;
}

double GridError::sqnr_db() const {
    if (noise() <= 0) return std::numeric_limits<double>::infinity();
    return 10 * portable::log10(std::max(signal, std::numeric_limits<double>::min()) / noise());
}

GridError grid_error(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec) {
    const double lo = grid.lowest(spec), hi = grid.highest(spec), scale = grid.scale;
    const std::optional<FloatSteps> steps = is_float(spec.storage) ? std::optional<FloatSteps>(spec.storage) : std::nullopt;
    const auto rounding = [&](double from, double to) { return steps ? mean_rounding(from, to, *steps) : mean_rounding(from, to); };
    GridError error;
    double total = 0, outside = 0;
    for (const Mass& mass : masses) {
        total += mass.weight;
        error.signal += mass.weight * mean_square(mass.lo, mass.hi, 0);
        if (mass.lo >= lo && mass.hi <= hi) {
            error.rounding += mass.weight * scale * scale * rounding(mass.lo / scale, mass.hi / scale);
            continue;
        }
        const double width = mass.hi - mass.lo;
        // The shares of this mass below, inside and above the grid.
        const double a = std::clamp(lo, mass.lo, mass.hi), b = std::clamp(hi, mass.lo, mass.hi);
        const double low = width > 0 ? (a - mass.lo) / width : mass.lo<lo, high = width> 0 ? (mass.hi - b) / width : mass.hi > hi;
        if (low > 0) error.clipping_low += mass.weight * low * mean_square(mass.lo, width > 0 ? a : mass.hi, lo);
        if (high > 0) error.clipping_high += mass.weight * high * mean_square(width > 0 ? b : mass.lo, mass.hi, hi);
        const double inside = 1 - low - high;
        if (inside > 0) error.rounding += mass.weight * inside * scale * scale * rounding(a / scale, b / scale);
        outside += mass.weight * (low + high);
    }
    error.clipped = total > 0 ? outside / total : 0;
    return error;
}

}  // namespace quern
