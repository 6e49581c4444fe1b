#include "tests/blocks/random_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace block_tests {

using namespace quern;

namespace {

// The largest of the scales, or of the minima; NaN if one is not a number.
float largest(const std::vector<float>& all) {
    float most = 0;
    for (const float one : all) most = std::isnan(one) || std::isnan(most) ? NAN : std::max(most, std::fabs(one));
    return most;
}

bool is_fit(const BlockFormat& format, const std::byte* block, bool usual) {
    std::vector<float> real(static_cast<size_t>(format.elements));
    format.decode(block, 1, real.data());
    if (!(largest(real) < 1e18f)) return false;
    if (!format.quantized()) return !usual || format.bytes > 2 || largest(real) < 1000.0f;
    const auto parts = static_cast<size_t>(format.elements / format.sub_block);
    std::vector<int8_t> codes(real.size());
    std::vector<float> scales(parts), mins(parts);
    format.unpack(block, codes.data(), scales.data(), mins.data());
    const auto fits = [&](const std::vector<float>& all) { return largest(all) > 0.01f && largest(all) < 100.0f; };
    return !usual || (fits(scales) && (!format.has_min || fits(mins)));
}

}  // namespace

RandomMatrix::RandomMatrix(const BlockFormat& format, int64_t columns, int64_t depth, bool usual, Random& random)
    : format_(format), columns_(columns), depth_(depth), bytes_(static_cast<size_t>(columns) * format.row_bytes(depth)) {
    for (size_t at = 0; at < bytes_.size(); at += format.bytes) {
        std::byte* block = bytes_.data() + at;
        do {
            for (size_t i = 0; i < format.bytes; i += sizeof(uint64_t)) {
                const uint64_t bits = random();
                std::memcpy(block + i, &bits, std::min(sizeof bits, format.bytes - i));
            }
        } while (!is_fit(format, block, usual));
    }
}

block_kernels::BlockMatrix RandomMatrix::view() const { return {&format_, bytes_.data(), columns_, depth_, format_.row_bytes(depth_)}; }

std::vector<float> random_numbers(int64_t count, Random& random) {
    std::vector<float> all(static_cast<size_t>(count));
    for (size_t first = 0; first < all.size(); first += 32) {
        const int kind = static_cast<int>(random() % 12);
        const float size = kind == 0 ? 0.0f : kind == 1 ? 1e-38f : kind == 2 ? 1e-44f : kind == 3 ? 1e3f : 1.0f;
        for (size_t i = first; i < std::min(first + 32, all.size()); ++i) {
            const auto number = static_cast<float>(drawn(random, -1000, 1000)) / 1000.0f;
            all[i] = size * (kind == 4 ? std::copysign(0.5f, number) : number);
        }
    }
    return all;
}

}  // namespace block_tests
