// Random choices from a seed, the same on every machine.
#pragma once

#include <random>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern::drawn {

class Draw {
   public:
    explicit Draw(uint64_t seed) : random_(seed) {}

    int64_t number(int64_t low, int64_t high) { return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1)); }
    double real(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
    bool chance(int percent) { return number(0, 99) < percent; }
    template <class Range>
    auto& pick(Range&& choices) {
        return choices[static_cast<size_t>(number(0, static_cast<int64_t>(std::size(choices)) - 1))];
    }
    // Numbers from `low` to `high`, whole ones of integers.
    Tensor tensor(DType dtype, Dims dims, double low, double high);

   private:
    std::mt19937_64 random_;
};

}  // namespace quern::drawn
