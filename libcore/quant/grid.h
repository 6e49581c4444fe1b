// Grid: the scale and zero point that cover a range of real numbers, and how well a grid represents what a histogram has counted.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/graph/dtype.h"
#include "libcore/quant/ranges.h"

namespace quern {

// What the codes of a value may be.
struct GridSpec {
    DType storage = DType::i8;
    int64_t qmin = -128, qmax = 127;
    bool symmetric = false;  // zero point in the middle of [qmin, qmax]
    float min_scale = 0;     // no scale is smaller (0: no limit)
    bool half_away = false;  // zero points round half away from zero, not to even
    bool operator==(const GridSpec&) const = default;
};

// The usual limits: all codes, or for symmetric signed types all but the least.
GridSpec grid_spec(DType storage, bool symmetric);

struct Grid {
    float scale = 1;
    int64_t zero = 0;
    double lowest(const GridSpec& spec) const { return static_cast<double>(spec.qmin - zero) * static_cast<double>(scale); }
    double highest(const GridSpec& spec) const { return static_cast<double>(spec.qmax - zero) * static_cast<double>(scale); }
};

struct RealRange {
    double lo = 0, hi = 0;
};

// The grid over [lo, hi], which is widened to include 0 (and made symmetric about it). Scale and zero point are computed in float64
// and the scale is then rounded to float32, as onnxruntime does, so that the codes agree. An all-zero range gives scale 1, zero 0.
Grid grid_of(RealRange range, const GridSpec& spec);

// A run of values spread evenly over [lo, hi]; lo = hi: all the same.
struct Mass {
    double lo, hi, weight;
};

// The bins of a histogram from least to greatest, their outer edges cut at the observed extremes. Bins so near zero that no grid could
// tell them from it are joined. At most about `most` masses per sign (0: no limit): neighbours are joined evenly.
std::vector<Mass> masses_of(const ValueRange& range, size_t most = 0);

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
GridError grid_error(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec);

}  // namespace quern
