// Grid: the scale and zero point that cover a range of real numbers.
#pragma once

#include <cstdint>

#include "libcore/graph/dtype.h"

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

}  // namespace quern
