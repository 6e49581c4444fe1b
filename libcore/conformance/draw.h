// Random choices from a seed, the same on every machine, or from bytes that somebody else chose.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern::random_graphs {

class Draw {
   public:
    explicit Draw(uint64_t seed) : random_(seed) {}
    // A byte is a choice of few, two are one of many, so that a fuzzer that changes a byte changes a choice. Where there are no more, a
    // generator goes on. The bytes are the caller's.
    static Draw of_bytes(std::string_view bytes) {
        Draw draw(bytes.size());
        draw.bytes_ = bytes;
        return draw;
    }

    int64_t number(int64_t low, int64_t high) {
        const auto range = static_cast<uint64_t>(high - low + 1);
        return low + static_cast<int64_t>(next(range) % range);
    }
    double real(double low, double high) {
        if (bytes_.empty()) return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
        return low + (high - low) * static_cast<double>(number(0, 0xffff)) / 0xffff;
    }
    bool chance(int percent) { return number(0, 99) < percent; }
    template <class Range>
    auto& pick(Range&& choices) {
        return choices[static_cast<size_t>(number(0, static_cast<int64_t>(std::size(choices)) - 1))];
    }
    // Numbers from `low` to `high`, whole ones of integers.
    Tensor tensor(DType dtype, Dims dims, double low, double high);

   private:
    uint64_t next(uint64_t range) {
        if (bytes_.empty()) return random_();
        const size_t size = std::min<size_t>(bytes_.size(), range <= 0x100 ? 1 : range <= 0x10000 ? 2 : sizeof(uint64_t));
        uint64_t value = 0;
        std::memcpy(&value, bytes_.data(), size);
        bytes_.remove_prefix(size);
        return value;
    }

    std::mt19937_64 random_;
    std::string_view bytes_;
};

}  // namespace quern::random_graphs
