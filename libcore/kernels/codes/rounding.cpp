#include "libcore/kernels/codes/rounding.h"

#include <algorithm>
#include <vector>

#include "libcore/graph/quantize.h"
#include "libcore/integer/rounding.h"
#include "libcore/kernels/codes/kinds.h"

namespace quern::codes {
namespace {

NumberRange range(const float* x, size_t count) {
    NumberRange of;
    for (size_t i = 0; i < count; ++i) {
        of.low = std::min(of.low, x[i]);
        of.high = std::max(of.high, x[i]);
    }
    return of;
}

void codes_of(const ByteGrid& grid, const float* x, size_t count, uint8_t* out) {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(::quantize_one(x[i] / grid.scale, grid.zero, grid.low, grid.high));
}

}  // namespace

const Rounding portable_rounding{"portable", range, codes_of};

std::span<const Rounding* const> all_roundings() { return all_kinds<vectors_rounding, portable_rounding>(); }

const Rounding& rounding() { return *all_roundings().front(); }

}  // namespace quern::codes
