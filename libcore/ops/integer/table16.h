// A function of 16-bit codes as TFLite tabulates it: numbers at every 128th code and straight lines between, each number lowered by half
// of what its line lies above the function in the middle. libcore/integer/functions.h reads it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace quern {

class Table16 {
   public:
    // `fn` on real numbers in float or double, as the scales are; the results' zero point is 0.
    template <class Real, class Fn>
    Table16(Real x_scale, int32_t x_zero, Real y_scale, const Fn& fn) {
        constexpr int steps = 512, min = -32768, max = 32767;
        const Real low = x_scale * static_cast<Real>(min - x_zero), high = x_scale * static_cast<Real>(max - x_zero);
        const Real step = (high - low) / steps, half = step / 2;
        const Real inverse = Real{65536} / (y_scale * max - y_scale * min);
        const auto clipped = [](Real x) { return static_cast<int16_t>(std::clamp(x == x ? x : Real{0}, Real{min}, Real{max})); };
        for (int i = 0; i < steps; ++i) {
            const Real begin = low + static_cast<Real>(i) * step;
            const Real here = std::round(fn(begin) * inverse), next = fn(low + static_cast<Real>(i + 1) * step) * inverse;
            const Real above = std::round((next + here) / 2) - std::round(fn(begin + half) * inverse);
            items_[static_cast<size_t>(i)] = clipped(here - std::round(above / 2));
        }
        items_[steps] = clipped(std::round(fn(high) * inverse));
    }
    const std::array<int16_t, 513>& items() const { return items_; }

   private:
    std::array<int16_t, 513> items_{};
};

}  // namespace quern
