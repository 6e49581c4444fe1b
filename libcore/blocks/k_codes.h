// Codes of 256 elements in planes of bits, and scales of 6 bits: how blocks of the K formats hold them.
#pragma once

#include "libcore/blocks/load.h"

namespace quern::blocks {

constexpr size_t k_size = 256;

// A plane of 1, 2 or 4 bits of each code from bit `from_bit` on. A byte holds `bits` of codes that are `stride` apart: 8 / bits strides of
// elements fill `stride` bytes.
template <int plane_bits, size_t stride, int from_bit = 0>
QUERN_INLINED void read_plane(const std::byte* from, uint8_t* codes) {
    constexpr size_t groups = 8 / plane_bits;
    for (size_t first = 0; first < k_size; first += groups * stride, from += stride)
        for (size_t g = 0; g < groups; ++g)
            for (size_t i = 0; i < stride; ++i)
                codes[first + g * stride + i] |=
                    static_cast<uint8_t>((byte_at(from, i) >> (g * plane_bits) & ((1 << plane_bits) - 1)) << from_bit);
}
template <int plane_bits, size_t stride, int from_bit = 0>
QUERN_INLINED void write_plane(const uint8_t* codes, std::byte* to) {
    constexpr size_t groups = 8 / plane_bits;
    for (size_t first = 0; first < k_size; first += groups * stride, to += stride)
        for (size_t i = 0; i < stride; ++i) {
            int byte = 0;
            for (size_t g = 0; g < groups; ++g)
                byte |= (codes[first + g * stride + i] >> from_bit & ((1 << plane_bits) - 1)) << (g * plane_bits);
            to[i] = as_byte(byte);
        }
}

// Eight pairs of 6 bits in 12 bytes: the first four pairs in bytes of their own, whose upper two bits are those of the other four.
QUERN_INLINED void read_pairs(const std::byte* from, uint8_t* scales, uint8_t* mins) {
    for (size_t j = 0; j < 4; ++j) {
        scales[j] = static_cast<uint8_t>(byte_at(from, j) & 63);
        mins[j] = static_cast<uint8_t>(byte_at(from, j + 4) & 63);
        scales[j + 4] = static_cast<uint8_t>((byte_at(from, j + 8) & 15) | byte_at(from, j) >> 6 << 4);
        mins[j + 4] = static_cast<uint8_t>(byte_at(from, j + 8) >> 4 | byte_at(from, j + 4) >> 6 << 4);
    }
}
QUERN_INLINED void write_pairs(const uint8_t* scales, const uint8_t* mins, std::byte* to) {
    for (size_t j = 0; j < 4; ++j) {
        to[j] = as_byte(scales[j] | scales[j + 4] >> 4 << 6);
        to[j + 4] = as_byte(mins[j] | mins[j + 4] >> 4 << 6);
        to[j + 8] = as_byte((scales[j + 4] & 15) | (mins[j + 4] & 15) << 4);
    }
}

// Sixteen numbers of 6 bits in 12 bytes: four bits of number j in byte j % 8, two in byte 8 + j % 4.
QUERN_INLINED void read_sixes(const std::byte* from, uint8_t* numbers) {
    for (size_t j = 0; j < 16; ++j)
        numbers[j] = static_cast<uint8_t>((byte_at(from, j % 8) >> (j / 8 * 4) & 15) | (byte_at(from, 8 + j % 4) >> (j / 4 * 2) & 3) << 4);
}
QUERN_INLINED void write_sixes(const uint8_t* numbers, std::byte* to) {
    for (size_t j = 0; j < 8; ++j) to[j] = as_byte((numbers[j] & 15) | (numbers[j + 8] & 15) << 4);
    for (size_t j = 0; j < 4; ++j) {
        int byte = 0;
        for (size_t g = 0; g < 4; ++g) byte |= (numbers[g * 4 + j] >> 4 & 3) << (g * 2);
        to[8 + j] = as_byte(byte);
    }
}

}  // namespace quern::blocks
