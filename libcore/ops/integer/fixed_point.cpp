#include "libcore/ops/integer/fixed_point.h"

#include <cmath>

namespace quern {

FixedFactor FixedFactor::of(double real) {
    if (!(real > 0)) return {};
    FixedFactor out;
    const double fraction = std::frexp(real, &out.shift);
    auto rounded = static_cast<int64_t>(std::round(fraction * (int64_t{1} << 31)));
    if (rounded == int64_t{1} << 31) {
        rounded /= 2;
        ++out.shift;
    }
    if (out.shift < -31) return {};
    if (out.shift > 30) return {INT32_MAX, 30};
    out.factor = static_cast<int32_t>(rounded);
    return out;
}

}  // namespace quern
