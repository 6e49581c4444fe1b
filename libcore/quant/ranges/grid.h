// How well a grid represents what a histogram has counted.
#pragma once

#include <limits>
#include <vector>

#include "libcore/graph/grid.h"
#include "libcore/quant/ranges/ranges.h"

namespace quern {

// A run of values spread evenly over [lo, hi]; lo = hi: all the same.
struct Mass {
    double lo, hi, weight;
};

// The bins of a histogram from least to greatest, their outer edges cut at the observed extremes. Bins so near zero that no grid could
// tell them from it are joined. At most about `most` masses per sign (0: no limit): neighbours are joined evenly.
std::vector<Mass> masses_of(const ValueRange& range, size_t most = 0);
inline constexpr size_t measured_masses = 512;  // of what reports say of errors

// What a grid does to a value's numbers, summed over all of them.
struct GridError {
    double signal = 0;         // sum of x^2
    double rounding = 0;       // sum of squared errors inside the grid
    double clipping_low = 0;   // ... of numbers below it
    double clipping_high = 0;  // ... above it
    double clipped = 0;        // share of numbers outside
    double noise() const { return rounding + clipping_low + clipping_high; }
    double sqnr_db() const;  // 10 log10(signal / noise); infinity without noise
};

// The range of least noise among all, and its SQNR.
struct Optimum {
    RealRange range;
    double sqnr_db = std::numeric_limits<double>::quiet_NaN();  // NaN: not known
};

GridError grid_error(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec);

}  // namespace quern
