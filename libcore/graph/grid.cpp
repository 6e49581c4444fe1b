#include "libcore/graph/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quern {

GridSpec grid_spec(DType storage, bool symmetric) {
    const auto [min, max] = int_range(storage);
    return {.storage = storage, .qmin = symmetric && min < 0 ? -max : min, .qmax = max, .symmetric = symmetric};
}

Grid grid_of(RealRange range, const GridSpec& spec) {
    double lo = std::min(range.lo, 0.0), hi = std::max(range.hi, 0.0);
    if (spec.symmetric) {
        hi = std::max(-lo, hi);
        lo = -hi;
    }
    double scale = (hi - lo) / static_cast<double>(spec.qmax - spec.qmin);
    const bool empty = !(scale >= static_cast<double>(std::numeric_limits<float>::min()));
    if (empty && spec.min_scale <= 0)
        return {1, spec.symmetric ? (spec.qmin + spec.qmax + (spec.qmin < 0 ? 0 : 1)) / 2 : std::clamp<int64_t>(0, spec.qmin, spec.qmax)};
    scale = std::max(scale, static_cast<double>(spec.min_scale));
    Grid grid;
    grid.scale = static_cast<float>(scale);
    const double zero = spec.symmetric ? static_cast<double>(spec.qmin + spec.qmax) / 2 : static_cast<double>(spec.qmin) - lo / scale;
    grid.zero = std::clamp(static_cast<int64_t>(spec.half_away ? std::round(zero) : std::nearbyint(zero)), spec.qmin, spec.qmax);
    return grid;
}

}  // namespace quern
