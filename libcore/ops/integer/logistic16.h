// The logistic function and tanh of 16-bit codes as TFLite computes them: a table of the logistic function at multiples of 1/24.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "libcore/ops/integer/codes.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {

// 65536 / (1 + exp(-i / 24)), raised by half of what a straight line lies below the curve in the middle.
inline const std::array<uint16_t, 256>& logistic_table() {
    static const std::array<uint16_t, 256> table = [] {
        std::array<uint16_t, 256> items{};
        const auto f = [](double i) { return 65536 / (1 + portable::exp(-i / 24)); };
        for (int i = 0; i < 255; ++i)
            items[static_cast<size_t>(i)] = static_cast<uint16_t>(std::floor(f(i) - ((f(i) + f(i + 1)) / 2 - f(i + 0.5)) / 2 + 0.5));
        items[255] = 65535;
        return items;
    }();
    return table;
}

// Codes to multiples of 1 / (3 * 2^12): for powers of two, which need no rounding, `powers` of them, by 3.
struct ToTwelveBits {
    int32_t factor;
    int shift = 0;

    ToTwelveBits(float scale, int powers) {
        int exponent = 0;
        if (is_power_of_two(scale, exponent) && exponent + 12 >= 0 && exponent + 12 < powers) {
            factor = 3 << (exponent + 12);
            return;
        }
        double real = static_cast<double>(scale) * 4096.0 * 3.0;
        for (; real <= 32767.0 / 2.0 && shift <= 30; ++shift) real *= 2;
        factor = static_cast<int32_t>(real);
    }
};

}  // namespace quern
