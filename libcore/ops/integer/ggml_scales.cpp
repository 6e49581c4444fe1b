// The scales of ggml's blocks of 256 elements as they are packed in them.
#include "libcore/blocks/load.h"
#include "libcore/ops/integer/ggml_blocks.h"

namespace quern::ggml {

using blocks::half;
using blocks::load;

namespace {

void copy(uint64_t bytes, int16_t* to) {
    for (int i = 0; i < 8; ++i) to[i] = static_cast<int16_t>(bytes >> 8 * i & 255);
}

uint64_t joined(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

}  // namespace

void q2_k_scales(const std::byte* block, SuperScales& to) {
    constexpr uint64_t low = 0x0f0f0f0f0f0f0f0fu;
    for (int i = 0; i < 2; ++i) {
        const auto packed = load<uint64_t>(block + 8 * i);
        copy(packed & low, to.scales + 8 * i);
        copy(packed >> 4 & low, to.mins + 8 * i);
    }
    to.scale = half(block + 80);
    to.min_scale = half(block + 82);
}

// Sixteen of 6 bits, 32 more than they mean: four bits each in the first 8 bytes, two in the last 4.
void q3_k_scales(const std::byte* block, SuperScales& to) {
    const auto first = load<uint64_t>(block + 96);
    const auto last = load<uint32_t>(block + 104);
    for (int i = 0; i < 2; ++i) {
        const uint64_t high = joined(last >> 4 * i & 0x03030303u, last >> (4 * i + 2) & 0x03030303u);
        copy((first >> 4 * i & 0x0f0f0f0f0f0f0f0fu) | high << 4, to.scales + 8 * i);
    }
    for (int16_t& scale : to.scales) scale = static_cast<int16_t>(scale - 32);
    to.scale = half(block + 108);
    to.min_scale = 0;
}

// Eight scales and eight minima of 6 bits; the upper two bits of the first four of each hold those of the last four.
void q4_k_scales(const std::byte* block, SuperScales& to) {
    const auto scales = load<uint32_t>(block + 4), mins = load<uint32_t>(block + 8), rest = load<uint32_t>(block + 12);
    constexpr uint32_t six = 0x3f3f3f3fu, four = 0x0f0f0f0fu, two = 0x03030303u;
    copy(joined(scales & six, (rest & four) | (scales >> 6 & two) << 4), to.scales);
    copy(joined(mins & six, (rest >> 4 & four) | (mins >> 6 & two) << 4), to.mins);
    to.scale = half(block);
    to.min_scale = half(block + 2);
}

void q6_k_scales(const std::byte* block, SuperScales& to) {
    for (int i = 0; i < 16; ++i) to.scales[i] = int16_t{load<int8_t>(block + 192 + i)};
    to.scale = half(block + 208);
    to.min_scale = 0;
}

void iq4_xs_scales(const std::byte* block, SuperScales& to) {
    const auto high = load<uint16_t>(block + 2);
    const auto low = load<uint32_t>(block + 4);
    for (int i = 0; i < 8; ++i) to.scales[i] = static_cast<int16_t>(((low >> 4 * i & 15) | (high >> 2 * i & 3) << 4) - 32);
    to.scale = half(block);
    to.min_scale = 0;
}

}  // namespace quern::ggml
