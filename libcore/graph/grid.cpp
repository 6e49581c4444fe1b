#include "libcore/graph/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quern {
namespace {

float rounded_to_float8(DType storage, float number) { return small_float_to_float(storage, float_to_small_float(storage, number, true)); }

}  // namespace

GridSpec grid_spec(DType storage, bool symmetric) {
    if (is_float(storage)) {
        const auto largest = static_cast<int64_t>(rounded_to_float8(storage, std::numeric_limits<float>::infinity()));
        return {.storage = storage, .qmin = -largest, .qmax = largest, .symmetric = true};
    }
    const auto [min, max] = int_range(storage);
    return {.storage = storage, .qmin = symmetric && min < 0 ? -max : min, .qmax = max, .symmetric = symmetric};
}

double Grid::rounded(double number, const GridSpec& spec) const {
    const double steps = number / static_cast<double>(scale), middle = static_cast<double>(zero);
    if (is_float(spec.storage))
        return static_cast<double>(rounded_to_float8(spec.storage, static_cast<float>(steps))) * static_cast<double>(scale);
    const double code = std::clamp(std::nearbyint(steps) + middle, static_cast<double>(spec.qmin), static_cast<double>(spec.qmax));
    return (code - middle) * static_cast<double>(scale);
}

RealRange limits_at(const Encoding& e, const Grid& grid) {
    const GridSpec spec = is_float(e.storage) ? grid_spec(e.storage, true) : GridSpec{.storage = e.storage, .qmin = e.qmin, .qmax = e.qmax};
    return {grid.lowest(spec), grid.highest(spec)};
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
