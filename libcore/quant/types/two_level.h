// Two-level scales (LPBQ, low power block quantization, as AIMET and QNN have it): the scale of a block is an integer of 4 bits times the
// float scale of its channel. Encodings hold the products, which are exact in float32; files of encodings say both levels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/encoding.h"

namespace quern {

inline constexpr int64_t two_level_most = 16;  // integers are 1 to 2^(8 - 4): 4-bit codes, decompressed to 8 bits

struct TwoLevel {
    std::vector<float> channels;    // in row-major order of the scales without the axis of blocks
    std::vector<int64_t> integers;  // one a block, in row-major order
};

// Which channel the scale i of blocks along `axis` is of; `dims` are those of the scales.
size_t channel_of_block(const Dims& dims, int axis, size_t i);

// The channel's scale is a 16th of its greatest block scale, with 20 bits so that products are exact, `least` at least; integers are
// rounded to nearest. Every scale becomes its product.
void make_two_level(std::vector<float>& scales, const Dims& dims, int axis, float least);

// Of symmetric int4 codes in blocks whose scales are such products; nullopt of others.
std::optional<TwoLevel> two_level_of(const Encoding& encoding, std::span<const float> scales);

}  // namespace quern
