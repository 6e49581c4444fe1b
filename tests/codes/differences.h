// What tests of inner loops draw, and how they compare.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace code_tests {

// 0, or 1 where items differ: the first one is printed.
inline size_t differences(std::string_view what, std::string_view isa, const auto& got, const auto& wanted) {
    for (size_t i = 0; i < got.size(); ++i) {
        if (got[i] == wanted[i]) continue;
        fmt::print("{} of {}: item {} is {}, not {}\n", what, isa, i, got[i], wanted[i]);
        return 1;
    }
    return 0;
}

// Codes and weights of all values, the ends more often than the others.
inline std::vector<uint8_t> drawn(std::mt19937& random, size_t count) {
    std::vector<uint8_t> items(count);
    for (uint8_t& item : items) {
        constexpr uint8_t ends[] = {0, 255, 127, 128};
        item = random() % 3 == 0 ? ends[random() % 4] : static_cast<uint8_t>(random());
    }
    return items;
}

}  // namespace code_tests
