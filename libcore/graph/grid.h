// Grid: the scale and zero point that cover a range of real numbers.
#pragma once

#include <cstdint>

#include "libcore/graph/encoding.h"

namespace quern {

// Have codes of this type a scale? Integers and float8; wider floats stand for themselves.
inline bool is_scaled(DType storage) { return is_integer(storage) || dtypes::float8s.has(storage); }

// What the codes of a value may be. Those of float8 are symmetric and count as the numbers that they are: -448 to 448.
struct GridSpec {
    DType storage = DType::i8;
    int64_t qmin = -128, qmax = 127;
    bool symmetric = false;  // zero point in the middle of [qmin, qmax]
    float min_scale = 0;     // no scale is smaller (0: no limit)
    bool half_away = false;  // zero points round half away from zero, not to even
    bool operator==(const GridSpec&) const = default;
};

// The usual limits: all codes, or for symmetric signed types all but the least; float8 is symmetric whatever is asked for.
GridSpec grid_spec(DType storage, bool symmetric);

struct Grid {
    float scale = 1;
    int64_t zero = 0;
    double lowest(const GridSpec& spec) const { return static_cast<double>(spec.qmin - zero) * static_cast<double>(scale); }
    double highest(const GridSpec& spec) const { return static_cast<double>(spec.qmax - zero) * static_cast<double>(scale); }
    double rounded(double number, const GridSpec& spec) const;  // what stands for a number
};

struct RealRange {
    double lo = 0, hi = 0;
};

// The least and greatest number that codes of an encoding mean beside one of its scales and zero points.
RealRange limits_at(const Encoding& encoding, const Grid& grid);

// The grid over [lo, hi], which is widened to include 0 (and made symmetric about it). Scale and zero point are computed in float64
// and the scale is then rounded to float32, as onnxruntime does, so that the codes agree. An all-zero range gives scale 1, zero 0.
Grid grid_of(RealRange range, const GridSpec& spec);

}  // namespace quern
