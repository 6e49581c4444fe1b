// Rows of blocks drawn at random.
#pragma once

#include <random>
#include <vector>

#include "libcore/kernels/blocks/block_matrix.h"

namespace block_tests {

using Random = std::mt19937_64;

inline int64_t drawn(Random& random, int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// Weights of any bits whose scales are finite; `usual`: about 1, else as far apart as the format has them.
class RandomMatrix {
   public:
    RandomMatrix(const quern::BlockFormat& format, int64_t columns, int64_t depth, bool usual, Random& random);
    quern::block_kernels::BlockMatrix view() const;
    const std::vector<std::byte>& bytes() const { return bytes_; }

   private:
    const quern::BlockFormat& format_;
    int64_t columns_, depth_;
    std::vector<std::byte> bytes_;
};

// Numbers about 1, with zeros, tiny and large ones; or those of whole blocks alike.
std::vector<float> random_numbers(int64_t count, Random& random);

}  // namespace block_tests
