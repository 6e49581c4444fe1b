// Formats of codes -1, 0 and 1 (some have a 2 that is hardly used), with a half as scale.
#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/k_codes.h"
#include "libcore/blocks/lanes.h"

namespace quern::blocks {
namespace {

// Codes of `n` numbers, plus 1, with the largest as scale.
template <size_t n>
QUERN_INLINED float round_by_largest(const float* from, int highest, uint8_t* codes) {
    Floats max{};
    for (size_t i = 0; i < n; i += lane_count) max = select(magnitude(load_lanes(from + i)) > max, magnitude(load_lanes(from + i)), max);
    const float scale = largest(max), inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
    for (size_t i = 0; i < n; i += lane_count) {
        const Ints rounded = clamp(nearest_away(load_lanes(from + i) * inverse), -1, highest) + 1;
        for (size_t lane = 0; lane < lane_count; ++lane) codes[i + lane] = static_cast<uint8_t>(rounded[lane]);
    }
    return scale;
}

template <size_t n>
QUERN_INLINED void less_one(const uint8_t* codes, int8_t* out) {
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<int8_t>(codes[i] - 1);
}

// Digits to base 3, several in a byte, as a fraction of 256 that is rounded up: the first digit is the whole part of three times it.
struct TQ1_0 {
    static constexpr BlockFormat facts{.name = "tq1_0", .ggml_type = 34, .elements = 256, .bytes = 54, .code_bits = 4, .sub_block = 256};
    struct Run {
        size_t stride, digits;  // digit d of byte j: element d * stride + j of the run
    };
    static constexpr Run runs[] = {{32, 5}, {16, 5}, {4, 4}};

    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        *scales = half(block + 52);
        for (const auto& [stride, digits] : runs) {
            for (size_t j = 0; j < stride; ++j) {
                auto fraction = static_cast<unsigned>(byte_at(block, j));
                for (size_t d = 0; d < digits; ++d) {
                    codes[d * stride + j] = static_cast<int8_t>(static_cast<int>(fraction * 3 >> 8) - 1);
                    fraction = fraction * 3 & 255;
                }
            }
            block += stride;
            codes += stride * digits;
        }
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, from += k_size) {
            uint8_t all[k_size];
            const float scale = round_by_largest<k_size>(from, 1, all);
            const uint8_t* codes = all;
            for (const auto& [stride, digits] : runs) {
                for (size_t j = 0; j < stride; ++j) {
                    unsigned number = 0;
                    for (size_t d = 0; d < 5; ++d) number = number * 3 + (d < digits ? codes[d * stride + j] : 0);
                    to[j] = as_byte(static_cast<int>((number * 256 + 242) / 243));
                }
                to += stride;
                codes += stride * digits;
            }
            store_half(to, scale);
            to += 2;
        }
    }
};

struct TQ2_0 {
    static constexpr BlockFormat facts{.name = "tq2_0", .ggml_type = 35, .elements = 256, .bytes = 66, .code_bits = 4, .sub_block = 256};
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        uint8_t positive[k_size] = {};
        read_plane<2, 32>(block, positive);
        less_one<k_size>(positive, codes);
        *scales = half(block + 64);
    }
    static void pack_parts(const int8_t* codes, const float* scales, const float*, std::byte* block) {
        uint8_t positive[k_size];
        for (size_t i = 0; i < k_size; ++i) positive[i] = static_cast<uint8_t>((codes[i] + 1) & 3);
        write_plane<2, 32>(positive, block);
        store_half(block + 64, *scales);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, from += k_size, to += facts.bytes) {
            uint8_t codes[k_size];
            store_half(to + 64, round_by_largest<k_size>(from, 1, codes));
            write_plane<2, 32>(codes, to);
        }
    }
};

struct Q1_0 {
    static constexpr BlockFormat facts{.name = "q1_0", .ggml_type = 41, .elements = 128, .bytes = 18, .code_bits = 4, .sub_block = 128};
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        *scales = half(block);
        for (size_t i = 0; i < 128; ++i) codes[i] = static_cast<int8_t>((byte_at(block + 2, i / 8) >> (i % 8) & 1) * 2 - 1);
    }
    // The scale is the mean of sizes.
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, from += 128, to += facts.bytes) {
            float sum = 0;
            for (size_t i = 0; i < 128; ++i) sum += __builtin_fabsf(from[i]);
            store_half(to, sum / 128.0f);
            for (size_t byte = 0; byte < 16; ++byte) {
                int signs = 0;
                for (size_t i = 0; i < 8; ++i) signs |= static_cast<int>(from[byte * 8 + i] >= 0.0f) << i;
                to[2 + byte] = as_byte(signs);
            }
        }
    }
};

struct Q2_0 {
    static constexpr BlockFormat facts{.name = "q2_0", .ggml_type = 42, .elements = 64, .bytes = 18, .code_bits = 4, .sub_block = 64};
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        *scales = half(block);
        for (size_t i = 0; i < 64; ++i) codes[i] = static_cast<int8_t>((byte_at(block + 2, i / 4) >> (i % 4 * 2) & 3) - 1);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, from += 64, to += facts.bytes) {
            uint8_t codes[64];
            store_half(to, round_by_largest<64>(from, 2, codes));
            for (size_t i = 0; i < 16; ++i)
                to[2 + i] = as_byte(codes[4 * i] | codes[4 * i + 1] << 2 | codes[4 * i + 2] << 4 | codes[4 * i + 3] << 6);
        }
    }
};

}  // namespace

std::vector<BlockFormat> ternary_formats(bool wide) { return rows<TQ1_0, TQ2_0, Q1_0, Q2_0>(wide); }

}  // namespace quern::blocks
