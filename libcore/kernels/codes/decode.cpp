#include "libcore/kernels/codes/decode.h"

#include <algorithm>
#include <vector>

#include "libcore/kernels/codes/kinds.h"

namespace quern::codes {
namespace {

int code_at(const StoredBlock& block, int64_t k, int column) {
    if (block.bits == 8) return static_cast<int8_t>(block.codes[k * stored_columns + column]);
    return block.codes[k / 2 * stored_columns + column] >> k % 2 * 4 & 15;
}

void decode(const StoredBlock& block, int64_t first, int64_t count, float* to) {
    for (int64_t k = first; k < first + count; ++k) {
        const float* scales = block.scales + k / block.each * stored_columns;
        const float* zeros = block.zeros + k / block.each * stored_columns;
        for (int c = 0; c < stored_columns; ++c) *to++ = (static_cast<float>(code_at(block, k, c)) - zeros[c]) * scales[c];
    }
}

void add(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums) {
    for (int64_t r = 0; r < rows; ++r, x += stride, sums += stored_columns)
        for (int64_t k = 0; k < count; ++k)
            for (int c = 0; c < stored_columns; ++c) sums[c] += x[k] * weights[k * stored_columns + c];
}

void add_one(const StoredBlock& block, int64_t count, const float* x, float* sums) {
    float weights[stored_columns];
    for (int64_t k = 0; k < count; ++k) {
        decode(block, k, 1, weights);
        add(weights, 1, x + k, 1, 1, sums);
    }
}

}  // namespace

const Decoding portable_decoding{"portable", decode, add, add_one};

std::span<const Decoding* const> all_decodings() { return all_kinds<vectors_decoding, portable_decoding>(); }

const Decoding& decoding() { return *all_decodings().front(); }

}  // namespace quern::codes
