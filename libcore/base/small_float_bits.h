// What small_float.h says, as expressions without branches and calls: loops over them are vectorized. Every bit of a NaN's payload that
// fits stays when numbers get wider.
#pragma once

#include <bit>
#include <cstdint>

namespace quern::bits {

[[gnu::always_inline]] inline float from_f16(uint16_t half) {
    const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffu) << 13;
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    constexpr uint32_t rebias = 112u << 23, min = 113u << 23;  // least: 2^-14, whose last digit is the step of subnormal halves
    const uint32_t special = magnitude >= 0x0f800000u ? rebias : 0u;
    const float subnormal = std::bit_cast<float>(magnitude + min) - std::bit_cast<float>(min);
    const uint32_t normal = magnitude + rebias + special;
    return std::bit_cast<float>(sign | (magnitude < 0x00800000u ? std::bit_cast<uint32_t>(subnormal) : normal));
}

[[gnu::always_inline]] inline uint16_t to_f16(float value) {
    const uint32_t number = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (number >> 16) & 0x8000u, magnitude = number & 0x7fffffffu;
    // Adding a half leaves multiples of 2^-24, rounded to nearest even, in the last digits.
    const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
    uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
    half = magnitude >= 0x477ff000u ? 0x7c00u : half;  // rounds past 65504
    half = magnitude > 0x7f800000u ? 0x7e00u : half;
    return static_cast<uint16_t>(sign | half);
}

[[gnu::always_inline]] inline float from_bf16(uint16_t brain) { return std::bit_cast<float>(static_cast<uint32_t>(brain) << 16); }

[[gnu::always_inline]] inline uint16_t to_bf16(float value) {
    const uint32_t number = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (number + 0x7fffu + ((number >> 16) & 1u)) >> 16;
    return static_cast<uint16_t>((number & 0x7fffffffu) > 0x7f800000u ? (number >> 16) | 0x40u : rounded);
}

}  // namespace quern::bits
