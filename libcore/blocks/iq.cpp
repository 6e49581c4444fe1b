// Formats of points: 8 or 4 elements are a point of a codebook, and signs beside. They are read, not written.
#include <bit>

#include "libcore/blocks/codebooks.h"
#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/load.h"

namespace quern::blocks {
namespace {

// The elements of each point, as bytes of a number.
template <class Point, size_t count, size_t values>
constexpr std::array<Point, count> expanded(const std::array<uint16_t, count>& points, const std::array<int8_t, values>& of) {
    constexpr int elements = sizeof(Point), bits = 16 / elements;
    std::array<Point, count> out{};
    for (size_t i = 0; i < count; ++i)
        for (int j = 0; j < elements; ++j) {
            const auto value = static_cast<uint8_t>(of[points[i] >> (j * bits) & ((1 << bits) - 1)]);
            out[i] |= static_cast<Point>(static_cast<Point>(value) << (8 * j));
        }
    return out;
}

constexpr std::array<int8_t, 4> values_of_two{8, 25, 43, 0};
constexpr auto two_xxs = expanded<uint64_t>(points_two_xxs, values_of_two);
constexpr auto two_xs = expanded<uint64_t>(points_two_xs, values_of_two);
constexpr auto two_s = expanded<uint64_t>(points_two_s, values_of_two);
constexpr auto three_xxs = expanded<uint32_t>(points_three_xxs, std::array<int8_t, 16>{4, 12, 20, 28, 36, 44, 52, 62});
constexpr auto three_s = expanded<uint32_t>(points_three_s, std::array<int8_t, 16>{1, 3, 5, 7, 9, 11, 13, 15});
constexpr auto one = expanded<uint64_t>(points_one, std::array<int8_t, 4>{-8, 0, 8, 0});  // eighths: of what is added, too

// The bytes whose bit is set, as 0xff.
constexpr std::array<uint64_t, 256> masks = [] {
    std::array<uint64_t, 256> out{};
    for (size_t bits = 0; bits < 256; ++bits)
        for (size_t j = 0; j < 8; ++j)
            if (bits >> j & 1) out[bits] |= uint64_t{255} << (8 * j);
    return out;
}();

QUERN_INLINED void put(uint64_t point, unsigned signs, int8_t* codes) {
    const uint64_t mask = masks[signs & 255];
    int8_t values[8], flips[8];
    std::memcpy(values, &point, 8);
    std::memcpy(flips, &mask, 8);
    for (size_t j = 0; j < 8; ++j) codes[j] = static_cast<int8_t>((values[j] ^ flips[j]) - flips[j]);
}
QUERN_INLINED uint64_t pair_of(uint32_t first, uint32_t second) { return first | static_cast<uint64_t>(second) << 32; }
// Seven signs are stored: an even number is negative.
QUERN_INLINED unsigned eight_signs(unsigned seven) { return (seven & 127) | static_cast<unsigned>(std::popcount(seven & 127) & 1) << 7; }

constexpr BlockFormat codebook(std::string_view name, uint32_t ggml_type, size_t bytes, int64_t sub_block) {
    return {.name = name,
            .ggml_type = ggml_type,
            .elements = 256,
            .bytes = bytes,
            .code_bits = 8,
            .sub_block = sub_block,
            .needs_importance = true};
}

struct IQ2_XXS {
    static constexpr BlockFormat facts = codebook("iq2_xxs", 16, 66, 32);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        const float scale = half(block);
        for (size_t p = 0; p < 8; ++p) {
            const std::byte* part = block + 2 + 8 * p;
            const auto word = load<uint32_t>(part + 4);
            scales[p] = scale * (0.5f + static_cast<float>(word >> 28)) * 0.25f;
            for (size_t j = 0; j < 4; ++j)
                put(two_xxs[static_cast<size_t>(byte_at(part, j))], eight_signs(word >> (7 * j)), codes + 32 * p + 8 * j);
        }
    }
};

QUERN_INLINED void nibble_scales(const std::byte* nibbles, float scale, float* scales) {
    for (size_t p = 0; p < 16; ++p) scales[p] = scale * (0.5f + static_cast<float>(byte_at(nibbles, p / 2) >> (p % 2 * 4) & 15)) * 0.25f;
}

struct IQ2_XS {
    static constexpr BlockFormat facts = codebook("iq2_xs", 17, 74, 16);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        nibble_scales(block + 66, half(block), scales);
        for (size_t j = 0; j < 32; ++j) {
            const auto word = load<uint16_t>(block + 2 + 2 * j);
            put(two_xs[word & 511], eight_signs(word >> 9), codes + 8 * j);
        }
    }
};

struct IQ2_S {
    static constexpr BlockFormat facts = codebook("iq2_s", 22, 82, 16);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        nibble_scales(block + 74, half(block), scales);
        for (size_t j = 0; j < 32; ++j) {
            const int high = byte_at(block + 66, j / 4) >> (j % 4 * 2) & 3;
            put(two_s[static_cast<size_t>(byte_at(block + 2, j) | high << 8)], static_cast<unsigned>(byte_at(block + 34, j)),
                codes + 8 * j);
        }
    }
};

struct IQ3_XXS {
    static constexpr BlockFormat facts = codebook("iq3_xxs", 18, 98, 32);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        const float scale = half(block);
        const auto point = [&](size_t i) QUERN_LAMBDA { return three_xxs[static_cast<size_t>(byte_at(block + 2, i))]; };
        for (size_t p = 0; p < 8; ++p) {
            const auto word = load<uint32_t>(block + 66 + 4 * p);
            scales[p] = scale * (0.5f + static_cast<float>(word >> 28)) * 0.5f;
            for (size_t j = 4 * p; j < 4 * p + 4; ++j)
                put(pair_of(point(2 * j), point(2 * j + 1)), eight_signs(word >> (7 * (j % 4))), codes + 8 * j);
        }
    }
};

struct IQ3_S {
    static constexpr BlockFormat facts = codebook("iq3_s", 21, 110, 32);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        const float scale = half(block);
        for (size_t p = 0; p < 8; ++p) scales[p] = scale * static_cast<float>(1 + 2 * (byte_at(block + 106, p / 2) >> (p % 2 * 4) & 15));
        const auto point = [&](size_t i) QUERN_LAMBDA {
            const int high = byte_at(block + 66, i / 8) >> (i % 8) & 1;
            return three_s[static_cast<size_t>(byte_at(block + 2, i) | high << 8)];
        };
        for (size_t j = 0; j < 32; ++j)
            put(pair_of(point(2 * j), point(2 * j + 1)), static_cast<unsigned>(byte_at(block + 74, j)), codes + 8 * j);
    }
};

// A point plus or minus an eighth.
QUERN_INLINED void put_shifted(size_t index, bool down, int8_t* codes) {
    put(one[index & 2047], 0, codes);
    for (size_t j = 0; j < 8; ++j) codes[j] = static_cast<int8_t>(codes[j] + (down ? -1 : 1));
}

struct IQ1_S {
    static constexpr BlockFormat facts = codebook("iq1_s", 19, 50, 32);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        const float scale = half(block);
        for (size_t p = 0; p < 8; ++p) {
            const auto word = load<uint16_t>(block + 34 + 2 * p);
            scales[p] = scale * static_cast<float>(2 * (word >> 12 & 7) + 1) * 0.125f;
            for (size_t j = 0; j < 4; ++j)
                put_shifted(static_cast<size_t>(byte_at(block + 2, 4 * p + j) | (word >> (3 * j) & 7) << 8), word >> 15 != 0,
                            codes + 32 * p + 8 * j);
        }
    }
};

struct IQ1_M {
    static constexpr BlockFormat facts = codebook("iq1_m", 29, 56, 16);
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        uint16_t words[4];  // each: four scales of 3 bits, and a quarter of a half
        std::memcpy(words, block + 48, sizeof words);
        const float scale =
            bits::from_f16(static_cast<uint16_t>(words[0] >> 12 | (words[1] >> 12) << 4 | (words[2] >> 12) << 8 | (words[3] >> 12) << 12));
        for (size_t p = 0; p < 16; ++p) scales[p] = scale * static_cast<float>(2 * (words[p / 4] >> (p % 4 * 3) & 7) + 1) * 0.125f;
        for (size_t j = 0; j < 32; ++j) {
            const int high = byte_at(block + 32, j / 2) >> (j % 2 * 4);
            put_shifted(static_cast<size_t>(byte_at(block, j) | (high & 7) << 8), (high & 8) != 0, codes + 8 * j);
        }
    }
};

}  // namespace

std::vector<BlockFormat> iq_formats(bool wide) { return rows<IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ1_S, IQ1_M>(wide); }

}  // namespace quern::blocks
