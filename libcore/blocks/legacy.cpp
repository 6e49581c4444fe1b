// Blocks of 32 with a half as scale, and a half as minimum in some.
#include <cfloat>

#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/load.h"
#include "libcore/blocks/search.h"
#include "libcore/blocks/weights.h"

namespace quern::blocks {
namespace {

constexpr size_t size = 32;

// The numbers of a block, in four times eight lanes.
struct Block {
    Floats at[4];

    QUERN_INLINED explicit Block(const float* from) {
        for (size_t i = 0; i < std::size(at); ++i) at[i] = load_lanes(from + i * lane_count);
    }
    QUERN_INLINED float max(float start) const {
        Floats found = all_lanes(start);
        for (const Floats& x : at) found = select(x > found, x, found);
        return largest(found);
    }
    QUERN_INLINED float min(float start) const {
        Floats found = all_lanes(-start);
        for (const Floats& x : at) found = select(-x > found, -x, found);
        return -largest(found);
    }
    // The first that equals one of these: of numbers of one size, or of zeros, it decides the sign.
    static QUERN_INLINED float first_of(const float* from, float one, float other) {
        for (size_t i = 0; i < size; ++i)
            if (from[i] == one || from[i] == other) return from[i];
        return one;
    }
    QUERN_INLINED float first_min(const float* from) const {
        const float found = min(FLT_MAX);
        return found == 0.0f ? first_of(from, found, found) : found;
    }
    // Of the numbers of largest size, the first; 0 if all are.
    QUERN_INLINED float signed_max(const float* from) const {
        const float above = max(0.0f), below = min(0.0f);
        if (above == -below) return above == 0.0f ? 0.0f : first_of(from, above, below);
        return above > -below ? above : below;
    }
};

QUERN_INLINED float inverse_of(float scale) { return scale != 0.0f ? 1.0f / scale : 0.0f; }

// Numbers of at least 0 without what follows the point; 0 of those above any code and of NaN.
QUERN_INLINED Ints truncated(Floats numbers, int highest) {
    const Ints whole = to_ints(select(numbers < 128.0f, numbers, Floats{}));
    return select(whole < highest, whole, Ints{} + highest);
}

// Codes of `code_bits` bits, four in halves of bytes (byte j: element j, then j + 16), the fifth in a word of 32; with a minimum or none.
template <int code_bits, bool with_min>
struct Nibbles {
    static constexpr int levels = 1 << (code_bits - 1), highest = 2 * levels - 1;
    static constexpr size_t high_at = with_min ? 4 : 2, codes_at = high_at + (code_bits > 4 ? 4 : 0), bytes = codes_at + size / 2;

    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float* mins) {
        *scales = half(block);
        if constexpr (with_min) *mins = half(block + 2);
        constexpr int zero = with_min ? 0 : levels;
        const uint32_t high = code_bits > 4 ? load<uint32_t>(block + high_at) : 0;
        for (size_t j = 0; j < size / 2; ++j) {
            const int pair = byte_at(block + codes_at, j);
            codes[j] = static_cast<int8_t>(((pair & 15) | static_cast<int>(high >> j << 4 & 16)) - zero);
            codes[j + 16] = static_cast<int8_t>(((pair >> 4) | static_cast<int>(high >> (j + 16) << 4 & 16)) - zero);
        }
    }

    static QUERN_INLINED void pack(const uint8_t* codes, std::byte* block) {
        store_nibbles(codes, codes + size / 2, block + codes_at);
        if constexpr (code_bits > 4) {
            uint32_t high = 0;
            for (size_t j = 0; j < size; ++j) high |= static_cast<uint32_t>(codes[j] >> 4 & 1) << j;
            store(block + high_at, high);
        }
    }

    static void pack_parts(const int8_t* codes, const float* scales, const float* mins, std::byte* block) {
        uint8_t stored[size];
        for (size_t i = 0; i < size; ++i) stored[i] = static_cast<uint8_t>((codes[i] + (with_min ? 0 : levels)) & highest);
        store_half(block, *scales);
        if constexpr (with_min) store_half(block + 2, *mins);
        pack(stored, block);
    }

    static QUERN_INLINED void encode_block(const float* from, std::byte* to) {
        const Block block(from);
        const float base = with_min ? block.first_min(from) : block.signed_max(from);
        const float scale = with_min ? (block.max(-FLT_MAX) - base) / static_cast<float>(highest) : base / static_cast<float>(-levels);
        const float inverse = inverse_of(scale);
        Ints codes[4];
        for (size_t i = 0; i < 4; ++i) {
            const Floats positive =
                with_min ? (block.at[i] - base) * inverse + 0.5f : block.at[i] * inverse + (static_cast<float>(levels) + 0.5f);
            codes[i] = truncated(positive, highest);
        }
        uint8_t stored[size];
        store_bytes(codes, stored);
        store_half(to, scale);
        if constexpr (with_min) store_half(to + 2, base);
        pack(stored, to);
    }

    // Eight blocks, of which `used` are written.
    static QUERN_INLINED void encode_weighted(const float* from, const float* weights, size_t used, std::byte* to) {
        const auto x = PartsOf<size>::of(from), w = PartsOf<size>::of(weights);
        CodesOf<size> codes;
        Floats scale, min{};
        if constexpr (with_min) {
            const Range range = RangeSearch<size>(x, w, {highest, -0.9f, 0.05f, 36, false}).run(codes);
            scale = range.scale;
            min = -range.min;
        } else {
            scale = search_scale(x, w, levels, codes);
        }
        uint8_t all[lane_count * size];
        codes.to(all);
        for (size_t b = 0; b < used; ++b, to += bytes) {
            store_half(to, scale[b]);
            if constexpr (with_min) store_half(to + 2, min[b]);
            pack(all + b * size, to);
        }
    }

    static QUERN_INLINED void encode(const float* from, size_t count, const float* importance, std::byte* to) {
        if (!importance) {
            for (size_t b = 0; b < count; ++b) encode_block(from + b * size, to + b * bytes);
            return;
        }
        const float mean = sum_of_squares(from, count * size) / static_cast<float>(count * size);
        for (size_t b = 0; b < count; b += lane_count) {
            const size_t used = count - b < lane_count ? count - b : lane_count;
            float x[lane_count * size] = {}, w[lane_count * size] = {};
            std::memcpy(x, from + b * size, used * size * sizeof *x);
            weigh(x, importance + b * size, mean, used * size, w);
            encode_weighted(x, w, used, to + b * bytes);
        }
    }
};

struct Q4_0 : Nibbles<4, false> {
    static constexpr BlockFormat facts{.name = "q4_0", .ggml_type = 2, .elements = 32, .bytes = bytes, .code_bits = 4, .sub_block = 32};
};
struct Q4_1 : Nibbles<4, true> {
    static constexpr BlockFormat facts{.name = "q4_1",
                                       .ggml_type = 3,
                                       .elements = 32,
                                       .bytes = bytes,
                                       .code_bits = 4,
                                       .code_signed = false,
                                       .sub_block = 32,
                                       .has_min = true};
};
struct Q5_0 : Nibbles<5, false> {
    static constexpr BlockFormat facts{.name = "q5_0", .ggml_type = 6, .elements = 32, .bytes = bytes, .code_bits = 8, .sub_block = 32};
};
struct Q5_1 : Nibbles<5, true> {
    static constexpr BlockFormat facts{.name = "q5_1",
                                       .ggml_type = 7,
                                       .elements = 32,
                                       .bytes = bytes,
                                       .code_bits = 8,
                                       .code_signed = false,
                                       .sub_block = 32,
                                       .has_min = true};
};

struct Q8_0 {
    static constexpr BlockFormat facts{.name = "q8_0", .ggml_type = 8, .elements = 32, .bytes = 34, .code_bits = 8, .sub_block = 32};

    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        *scales = half(block);
        std::memcpy(codes, block + 2, size);
    }

    static void pack_parts(const int8_t* codes, const float* scales, const float*, std::byte* block) {
        store_half(block, *scales);
        std::memcpy(block + 2, codes, size);
    }

    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, from += size, to += facts.bytes) {
            const Block block(from);
            Floats found{};
            for (const Floats& x : block.at) found = select(magnitude(x) > found, magnitude(x), found);
            const float scale = largest(found) / 127.0f, inverse = inverse_of(scale);
            store_half(to, scale);
            Ints codes[4];
            for (size_t i = 0; i < 4; ++i) codes[i] = nearest_away(block.at[i] * inverse);
            store_bytes(codes, to + 2);
        }
    }
};

}  // namespace

std::vector<BlockFormat> legacy_formats(bool wide) { return rows<Q4_0, Q4_1, Q5_0, Q5_1, Q8_0>(wide); }

}  // namespace quern::blocks
