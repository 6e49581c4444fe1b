// Range searches that minimise noise: MSE and SQNR.
#include <algorithm>
#include <cmath>

#include "libcore/quant/search.h"

namespace quern {
namespace {

constexpr size_t masses_per_sign = 256;  // of the histogram while searching: the errors are integrals over each mass

RealRange within(RealRange range, const RealRange& observed) { return {std::max(range.lo, observed.lo), std::min(range.hi, observed.hi)}; }

// The candidate of least cost; the first of equals. One that covers nothing is none: its grid says nothing of the numbers.
template <class Cost>
struct Best {
    const Cost& cost;
    RealRange range;
    double least;
    Best(const Cost& cost_, RealRange first) : cost(cost_), range(first), least(cost_(first)) {}
    void offer(RealRange candidate) {
        if (candidate.lo == candidate.hi) return;
        const double c = cost(candidate);
        if (c < least) {
            least = c;
            range = candidate;
        }
    }
};

}  // namespace

RealRange search_mse(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    const auto masses = masses_of(value, masses_per_sign);
    const auto cost = [&](RealRange range) { return grid_error(masses, grid_of(range, spec), spec).noise(); };
    constexpr int steps = 32;
    Best best(cost, observed);
    if (spec.symmetric || observed.lo == 0 || observed.hi == 0) {
        for (int i = 4 * steps; i > 0; --i) {
            const double share = i / (4.0 * steps);
            best.offer({observed.lo * share, observed.hi * share});
        }
        return best.range;
    }
    for (int i = steps; i > 0; --i)
        for (int j = steps; j > 0; --j) best.offer({observed.lo * i / steps, observed.hi * j / steps});
    return best.range;
}

RealRange search_sqnr(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    const auto masses = masses_of(value, masses_per_sign);
    const auto cost = [&](RealRange range) {
        const GridError error = grid_error(masses, grid_of(range, spec), spec);
        return error.rounding + 3 * (error.clipping_low + error.clipping_high);
    };
    Best best(cost, observed);
    const auto codes = static_cast<double>(spec.qmax - spec.qmin);
    if (spec.symmetric) {
        const double widest = std::max(-observed.lo, observed.hi);
        for (int i = 100; i > 0; --i) best.offer({-widest * i / 100, widest * i / 100});
        return within(best.range, observed);
    }
    const double widest = (observed.hi - observed.lo) / codes;
    for (int i = 16; i > 0; --i)
        for (int j = 0; j <= 20; ++j) {
            const double step = widest * i / 16, lo = -step * std::round(codes * j / 20);
            const RealRange candidate = within({lo, lo + step * codes}, observed);
            best.offer({std::min(candidate.lo, 0.0), std::max(candidate.hi, 0.0)});
        }
    return best.range;
}

}  // namespace quern
