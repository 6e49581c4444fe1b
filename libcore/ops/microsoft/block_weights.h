// The weights of MatMulNBits: packed codes of 2, 4 or 8 bits, in blocks along the depth of each output.
#pragma once

#include "libcore/ops/shared/shared.h"

namespace quern {

struct BlockWeights {
    size_t k, n, bits, block, blocks;  // blocks: of one output

    explicit BlockWeights(const NodeView& view);  // throws Exit::bad_input, Exit::unsupported
    size_t code(std::span<const uint8_t> packed, size_t first_byte, size_t i) const {
        const size_t at = i * bits;
        return packed[first_byte + at / 8] >> at % 8 & ((1u << bits) - 1);
    }
};

// Zero points [n][blocks] as floats: packed codes a row of blocks, floats, or where `zeros` is nullptr 2^(bits-1). Throws Exit::bad_input.
std::vector<float> block_zeros(const BlockWeights& w, const Tensor* zeros);

}  // namespace quern
