// Formats of blocks as AVX2 reads them: 32 codes at a time, in the order of the elements.
//
// Each has: `bytes` and `elements` of a block; `part`: elements that share a scale; `is_signed`: codes as they are, else unsigned ones with
// `offset` added; `chain`: how many products of four codes with four of 127 (two neighbours added) fit into 16 bits; `has_min`;
// `codes(block, g)`: elements 32 g and following; where those of a block are sixteen bytes of 4 bits each, `nibbles_at` is where they lie
// and `of_nibbles` makes codes of them. Blocks of 32 have `scale` and `min`, those of 256 `scales` (super_avx2.h).
#pragma once

#if defined(__x86_64__)
#include <bit>
#include <string_view>

#include "libcore/kernels/blocks/super_avx2.h"

namespace quern::block_kernels {

// Byte j of sixteen has element j in its low bits and element j + 16 in its high ones.
QUERN_INLINE_AVX2 __m256i nibbles(Block from) {
    const __m128i both = load_128(from);
    return _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(both, 4), both), _mm256_set1_epi8(15));
}
QUERN_INLINE_AVX2 __m256i looked_up(__m128i table, __m256i at) { return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), at); }

// 16 where bit i of 32 is set.
QUERN_INLINE_AVX2 __m256i fifth_bits(Block from) {
    const __m256i all = _mm256_set1_epi32(blocks::load<int32_t>(from));
    const __m256i spread = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i own = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201u));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(all, spread), own), own);
    return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

QUERN_INLINE_AVX2 __m128i nonlinear_codes() {
    return _mm_setr_epi8(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
}

// Bits of each byte from `shift` on; shifts beyond a byte bring others, which `mask` leaves out.
QUERN_INLINE_AVX2 __m256i bits_at(__m256i bytes, int shift, int8_t mask) {
    return _mm256_and_si256(_mm256_srli_epi16(bytes, shift), _mm256_set1_epi8(mask));
}

// Rows of blocks at the same distance from each other: few numbers, which registers hold.
template <int count>
struct Rows {
    Block base[count / 4];
    int64_t stride;

    QUERN_INLINE_AVX2 Block at(int r) const { return base[r / 4] + r % 4 * stride; }
    QUERN_INLINE_AVX2 void go_on(int64_t bytes) {
        for (Block& first : base) first += bytes;
    }
};

// The numbers of 16 bits that lie at `offset` of eight rows from `from` on.
template <int from, int count>
QUERN_INLINE_AVX2 __m256 eight_halves(const Rows<count>& rows, int64_t offset) {
    const auto half = [&](int r) QUERN_AVX2 { return blocks::load<int16_t>(rows.at(from + r) + offset); };
    return _mm256_cvtph_ps(_mm_setr_epi16(half(0), half(1), half(2), half(3), half(4), half(5), half(6), half(7)));
}

struct Blocks32 {
    static constexpr int elements = 32, part = 32;
    QUERN_INLINE_AVX2 static float scale(Block block) { return half_at(block); }
    QUERN_INLINE_AVX2 static float min(Block block) { return half_at(block + 2); }
    template <int from, int count>
    QUERN_INLINE_AVX2 static __m256 scales(const Rows<count>& rows) {
        return eight_halves<from>(rows, 0);
    }
    template <int from, int count>
    QUERN_INLINE_AVX2 static __m256 mins(const Rows<count>& rows) {
        return eight_halves<from>(rows, 2);
    }
};

struct Q4_0 : Blocks32 {
    static constexpr std::string_view name = "q4_0";
    static constexpr int bytes = 18, offset = 8, chain = 8;
    static constexpr bool is_signed = false, has_min = false;
    static constexpr int nibbles_at = 2;
    QUERN_INLINE_AVX2 static __m256i of_nibbles(__m256i all) { return all; }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return nibbles(block + nibbles_at); }
};
struct Q4_1 : Blocks32 {
    static constexpr std::string_view name = "q4_1";
    static constexpr int bytes = 20, offset = 0, chain = 8;
    static constexpr bool is_signed = false, has_min = true;
    static constexpr int nibbles_at = 4;
    QUERN_INLINE_AVX2 static __m256i of_nibbles(__m256i all) { return all; }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return nibbles(block + nibbles_at); }
};
struct Q5_0 : Blocks32 {
    static constexpr std::string_view name = "q5_0";
    static constexpr int bytes = 22, offset = 16, chain = 4;
    static constexpr bool is_signed = false, has_min = false;
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return _mm256_or_si256(nibbles(block + 6), fifth_bits(block + 2)); }
};
struct Q5_1 : Blocks32 {
    static constexpr std::string_view name = "q5_1";
    static constexpr int bytes = 24, offset = 0, chain = 4;
    static constexpr bool is_signed = false, has_min = true;
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return _mm256_or_si256(nibbles(block + 8), fifth_bits(block + 4)); }
};
struct Q8_0 : Blocks32 {
    static constexpr std::string_view name = "q8_0";
    static constexpr int bytes = 34, offset = 0, chain = 1;
    static constexpr bool is_signed = true, has_min = false;
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return load_256(block + 2); }
};
struct Iq4Nl : Blocks32 {
    static constexpr std::string_view name = "iq4_nl";
    static constexpr int bytes = 18, offset = 0, chain = 1;
    static constexpr bool is_signed = true, has_min = false;
    static constexpr int nibbles_at = 2;
    QUERN_INLINE_AVX2 static __m256i of_nibbles(__m256i all) { return looked_up(nonlinear_codes(), all); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return of_nibbles(nibbles(block + nibbles_at)); }
};
// Codes are twice the numbers of 4 bits; the scale is 2^(e - 128).
struct Mxfp4 : Blocks32 {
    static constexpr std::string_view name = "mxfp4";
    static constexpr int bytes = 17, offset = 12, chain = 4;
    static constexpr bool is_signed = false, has_min = false;
    static constexpr int nibbles_at = 1;
    QUERN_INLINE_AVX2 static __m256i of_nibbles(__m256i all) {
        return looked_up(_mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0), all);
    }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int) { return of_nibbles(nibbles(block + nibbles_at)); }
    QUERN_INLINE_AVX2 static float scale(Block block) {
        const auto e = blocks::load<uint8_t>(block);
        return std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1u) << 23);
    }
    template <int from, int count>
    QUERN_INLINE_AVX2 static __m256 scales(const Rows<count>& rows) {
        return _mm256_setr_ps(scale(rows.at(from)), scale(rows.at(from + 1)), scale(rows.at(from + 2)), scale(rows.at(from + 3)),
                              scale(rows.at(from + 4)), scale(rows.at(from + 5)), scale(rows.at(from + 6)), scale(rows.at(from + 7)));
    }
};

struct Blocks256 {
    static constexpr int elements = 256;
};

struct Q2K : Blocks256 {
    static constexpr std::string_view name = "q2_k";
    static constexpr int bytes = 84, part = 16, offset = 0, chain = 4;
    static constexpr bool is_signed = false, has_min = true;
    QUERN_INLINE_AVX2 static Super scales(Block block) { return q2_k_super(block); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) { return bits_at(load_256(block + 16 + g / 4 * 32), g % 4 * 2, 3); }
};
struct Q3K : Blocks256 {
    static constexpr std::string_view name = "q3_k";
    static constexpr int bytes = 110, part = 16, offset = 4, chain = 4;
    static constexpr bool is_signed = false, has_min = false;
    QUERN_INLINE_AVX2 static Super scales(Block block) { return q3_k_super(block); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) {
        const __m256i third = _mm256_slli_epi16(bits_at(load_256(block), g, 1), 2);
        return _mm256_or_si256(bits_at(load_256(block + 32 + g / 4 * 32), g % 4 * 2, 3), third);
    }
};
struct Q4K : Blocks256 {
    static constexpr std::string_view name = "q4_k";
    static constexpr int bytes = 144, part = 32, offset = 0, chain = 8;
    static constexpr bool is_signed = false, has_min = true;
    QUERN_INLINE_AVX2 static Super scales(Block block) { return q4_k_super(block); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) { return bits_at(load_256(block + 16 + g / 2 * 32), g % 2 * 4, 15); }
};
struct Q5K : Blocks256 {
    static constexpr std::string_view name = "q5_k";
    static constexpr int bytes = 176, part = 32, offset = 0, chain = 4;
    static constexpr bool is_signed = false, has_min = true;
    QUERN_INLINE_AVX2 static Super scales(Block block) { return q4_k_super(block); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) {
        const __m256i fifth = _mm256_slli_epi16(bits_at(load_256(block + 16), g, 1), 4);
        return _mm256_or_si256(bits_at(load_256(block + 48 + g / 2 * 32), g % 2 * 4, 15), fifth);
    }
};
struct Q6K : Blocks256 {
    static constexpr std::string_view name = "q6_k";
    static constexpr int bytes = 210, part = 16, offset = 32, chain = 2;
    static constexpr bool is_signed = false, has_min = false;
    QUERN_INLINE_AVX2 static Super scales(Block block) { return q6_k_super(block); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) {
        const __m256i low = bits_at(load_256(block + g / 4 * 64 + g % 2 * 32), g % 4 / 2 * 4, 15);
        return _mm256_or_si256(low, _mm256_slli_epi16(bits_at(load_256(block + 128 + g / 4 * 32), g % 4 * 2, 3), 4));
    }
};
struct Iq4Xs : Blocks256 {
    static constexpr std::string_view name = "iq4_xs";
    static constexpr int bytes = 136, part = 32, offset = 0, chain = 1;
    static constexpr bool is_signed = true, has_min = false;
    QUERN_INLINE_AVX2 static Super scales(Block block) { return iq4_xs_super(block); }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) { return looked_up(nonlinear_codes(), nibbles(block + 8 + g * 16)); }
};

// The entry of the format's name made by `Make<F>`, which has its loops; nullptr: none of these.
template <class Loops, template <class> class Make, class... Formats>
const Loops* chosen(std::string_view name) {
    const Loops* found = nullptr;
    ((Formats::name == name ? (found = &Make<Formats>::loops, true) : false) || ...);
    return found;
}
template <class Loops, template <class> class Make>
const Loops* loops_of(std::string_view name) {
    return chosen<Loops, Make, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Iq4Nl, Mxfp4, Q2K, Q3K, Q4K, Q5K, Q6K, Iq4Xs>(name);
}

}  // namespace quern::block_kernels
#endif
