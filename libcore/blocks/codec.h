// A format is a Codec, from which its row is made:
//
//   struct Codec {
//       static constexpr BlockFormat facts{...};   // all but functions
//       static void unpack(const std::byte* block, int8_t* codes, float* scales, float* mins);
//       static void pack_parts(const int8_t* codes, const float* scales, const float* mins, std::byte* block);   // if only one block says
//       these static void encode(const float* from, size_t count, const float* importance, std::byte* to);   // if it can be written
//   };
//
// Formats of plain numbers have decode() instead of unpack(). They are compiled twice, for every machine and
// for those that have AVX2; each number is the same sequence of roundings in both.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libcore/blocks/block_format.h"
#include "libcore/blocks/inlined.h"

namespace quern::blocks {

template <class Codec>
concept Plain = requires {
    &Codec::decode;
};

template <Plain Codec>
QUERN_INLINED void decode_blocks(const std::byte* blocks, size_t count, float* to) {
    Codec::decode(blocks, count, to);
}
// What unpack() makes, as real numbers.
template <class Codec>
QUERN_INLINED void decode_blocks(const std::byte* blocks, size_t count, float* to) {
    constexpr auto elements = static_cast<size_t>(Codec::facts.elements), sub = static_cast<size_t>(Codec::facts.sub_block);
    alignas(32) int8_t codes[elements];
    float scales[elements / sub], mins[elements / sub];
    for (size_t b = 0; b < count; ++b, blocks += Codec::facts.bytes) {
        Codec::unpack(blocks, codes, scales, mins);
        for (size_t part = 0; part < elements / sub; ++part, to += sub)
            for (size_t i = 0; i < sub; ++i) {
                to[i] = static_cast<float>(codes[part * sub + i]) * scales[part];
                if constexpr (Codec::facts.has_min) to[i] += mins[part];
            }
    }
}

template <class Codec>
void decode_base(const std::byte* blocks, size_t count, float* to) {
    decode_blocks<Codec>(blocks, count, to);
}
template <class Codec>
void encode_base(const float* from, size_t count, const float* importance, std::byte* to) {
    Codec::encode(from, count, importance, to);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
template <class Codec>
[[gnu::target("avx2")]] void decode_avx2(const std::byte* blocks, size_t count, float* to) {
    decode_blocks<Codec>(blocks, count, to);
}
template <class Codec>
[[gnu::target("avx2")]] void encode_avx2(const float* from, size_t count, const float* importance, std::byte* to) {
    Codec::encode(from, count, importance, to);
}
inline bool has_avx2() { return __builtin_cpu_supports("avx2"); }
#else
template <class Codec>
void decode_avx2(const std::byte* blocks, size_t count, float* to) {
    decode_base<Codec>(blocks, count, to);
}
template <class Codec>
void encode_avx2(const float* from, size_t count, const float* importance, std::byte* to) {
    encode_base<Codec>(from, count, importance, to);
}
inline bool has_avx2() { return false; }
#endif

template <class Codec>
void unpack_block(const std::byte* block, int8_t* codes, float* scales, float* mins) {
    Codec::unpack(block, codes, scales, mins);
}

// Into a block that is then read again: what does not fit differs there.
template <class Codec>
bool pack_block(const int8_t* codes, const float* scales, const float* mins, std::byte* block) {
    constexpr auto elements = static_cast<size_t>(Codec::facts.elements), parts = elements / static_cast<size_t>(Codec::facts.sub_block);
    Codec::pack_parts(codes, scales, mins, block);
    int8_t again[elements];
    float scales_again[parts], mins_again[parts];
    Codec::unpack(block, again, scales_again, mins_again);
    const auto differs = [](float a, float b) { return std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b); };
    for (size_t i = 0; i < parts; ++i)
        if (differs(scales[i], scales_again[i]) || (Codec::facts.has_min && differs(mins[i], mins_again[i]))) return false;
    return std::memcmp(codes, again, sizeof again) == 0;
}

template <class Codec>
BlockFormat row(bool wide) {
    BlockFormat format = Codec::facts;
    format.decode = wide ? decode_avx2<Codec> : decode_base<Codec>;
    if constexpr (!Plain<Codec>) format.unpack = unpack_block<Codec>;
    if constexpr (requires { &Codec::pack_parts; }) format.pack = pack_block<Codec>;
    if constexpr (requires { &Codec::encode; }) format.encode = wide ? encode_avx2<Codec> : encode_base<Codec>;
    return format;
}

template <class... Codecs>
std::vector<BlockFormat> rows(bool wide) {
    return {row<Codecs>(wide)...};
}

}  // namespace quern::blocks
