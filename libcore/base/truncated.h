// Real numbers to integers, defined for all of them.
#pragma once

#include <limits>

namespace quern {

// Cut off toward zero. Where C++ leaves the result open: the end of the range that is nearest, 0 for NaN.
template <class To, class From>
To truncated(From x) {
    using Limits = std::numeric_limits<To>;
    constexpr From end = static_cast<From>(Limits::max() / 2 + 1) * 2;  // a power of two, which every float type has
    if (!(x == x)) return 0;
    if (x >= end) return Limits::max();
    if (x <= static_cast<From>(Limits::min())) return Limits::min();
    return static_cast<To>(x);
}

}  // namespace quern
