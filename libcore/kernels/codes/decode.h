// Products of real numbers with weights in codes, which are decoded a piece at a time where they are multiplied: the loops over them, one
// family an instruction set. A sum adds its products one after the other, in float32 and without fusing, as the references do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace quern::codes {

constexpr int stored_columns = 32;  // of a block of columns

// One block of columns. Codes are [depth][32] signed bytes, or [(depth + 1) / 2][32] bytes with those of two rows, the first one in the low
// bits. A weight is (code - zero) * scale; scales and zero points are [depth / each][32].
struct StoredBlock {
    const uint8_t* codes;
    int bits;  // 4 or 8
    const float* scales;
    const float* zeros;
    int64_t each;  // rows that share them
};

struct Decoding {
    std::string_view name;
    // Rows [first, first + count) of the block as numbers [count][32].
    void (*decode)(const StoredBlock& block, int64_t first, int64_t count, float* to);
    // sums[row][32] += x[row][0] * weights[0] + ... of `rows` rows that lie `stride` numbers from each other.
    void (*add)(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums);
    // The same of one row of data with rows [0, count) of the block, which are decoded in registers.
    void (*add_one)(const StoredBlock& block, int64_t count, const float* x, float* sums);
};
const Decoding& decoding();                        // the fastest here
std::span<const Decoding* const> all_decodings();  // for tests
extern const Decoding portable_decoding, vectors_decoding;

}  // namespace quern::codes
