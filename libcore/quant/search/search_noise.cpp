// Range searches that minimise noise: MSE and SQNR.
#include <algorithm>
#include <cmath>

#include "libcore/quant/search/noise_bound.h"
#include "libcore/quant/search/search.h"

namespace quern {
namespace {

constexpr size_t masses_per_sign = 256;  // of the histogram while searching: the errors are integrals over each mass

RealRange within(RealRange range, const RealRange& observed) { return {std::max(range.lo, observed.lo), std::min(range.hi, observed.hi)}; }

// The candidate of least noise; the first of equals. One that covers nothing is none: its grid says nothing of the numbers.
class Best {
   public:
    // Clipped numbers count `clipped` times.
    Best(const ValueRange& value, const GridSpec& spec, double clipped)
        : masses_(masses_of(value, masses_per_sign)), bound_(masses_), spec_(spec), clipped_(clipped), range_(search_minmax(value)) {
        least_ = noise(grid_of(range_, spec_));
    }
    void offer(RealRange candidate) {
        if (candidate.lo == candidate.hi) return;
        const Grid grid = grid_of(candidate, spec_);
        if (!is_float(spec_.storage) && bound_.of(grid, spec_, clipped_) >= least_) return;
        if (const double found = noise(grid); found < least_) {
            least_ = found;
            range_ = candidate;
        }
    }

    RealRange range() const { return range_; }

   private:
    double noise(const Grid& grid) const {
        const GridError error = grid_error(masses_, grid, spec_);
        return error.rounding + clipped_ * (error.clipping_low + error.clipping_high);
    }
    std::vector<Mass> masses_;
    NoiseBound bound_;
    const GridSpec& spec_;
    double clipped_, least_ = 0;
    RealRange range_;
};

}  // namespace

RealRange search_mse(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    constexpr int steps = 32;
    Best best(value, spec, 1);
    if (spec.symmetric || observed.lo == 0 || observed.hi == 0) {
        for (int i = 4 * steps; i > 0; --i) {
            const double share = i / (4.0 * steps);
            best.offer({observed.lo * share, observed.hi * share});
        }
        return best.range();
    }
    for (int i = steps; i > 0; --i)
        for (int j = steps; j > 0; --j) best.offer({observed.lo * i / steps, observed.hi * j / steps});
    return best.range();
}

RealRange search_sqnr(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    Best best(value, spec, 3);
    const auto codes = static_cast<double>(spec.qmax - spec.qmin);
    if (spec.symmetric) {
        const double widest = std::max(-observed.lo, observed.hi);
        for (int i = 100; i > 0; --i) best.offer({-widest * i / 100, widest * i / 100});
        return within(best.range(), observed);
    }
    const double widest = (observed.hi - observed.lo) / codes;
    for (int i = 16; i > 0; --i)
        for (int j = 0; j <= 20; ++j) {
            const double step = widest * i / 16, lo = -step * std::round(codes * j / 20);
            const RealRange candidate = within({lo, lo + step * codes}, observed);
            best.offer({std::min(candidate.lo, 0.0), std::max(candidate.hi, 0.0)});
        }
    return best.range();
}

}  // namespace quern
