// Microscaling formats: numbers of 4 bits (OCP e2m1, here doubled) times a power of two, or times a float of 8 bits.
#include <bit>

#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/lanes.h"
#include "libcore/blocks/tables.h"

namespace quern::blocks {
namespace {

constexpr Table values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

template <size_t n>
QUERN_INLINED float largest_size(const float* from) {
    Floats max{};
    for (size_t i = 0; i < n; i += lane_count) max = select(magnitude(load_lanes(from + i)) > max, magnitude(load_lanes(from + i)), max);
    return largest(max);
}

// The nearest of the values times the scale; of two equally near ones the smaller.
template <size_t n>
QUERN_INLINED void nearest_values(const float* from, float scale, uint8_t* indexes) {
    for (size_t i = 0; i < n; i += lane_count) {
        const Floats x = load_lanes(from + i), size = magnitude(x);
        Floats best = size;
        Ints index{};
        for (int v = 1; v < 8; ++v) {
            const Floats error = magnitude(static_cast<float>(values[static_cast<size_t>(v)]) * scale - size);
            const Ints better = error < best;
            best = select(better, error, best);
            index = select(better, Ints{} + v, index);
        }
        index |= (x < 0.0f) & (index > 0) & 8;
        for (size_t lane = 0; lane < lane_count; ++lane) indexes[i + lane] = static_cast<uint8_t>(index[lane]);
    }
}

// The largest integer not above log2(x) as float32 has it: below a power of two by an ulp or two, the logarithm may round to it.
int floor_log2(float x) {
    const auto [exponent, fraction] = [x] {
        const int offset = std::bit_cast<int32_t>(x) < 0x00800000 ? 32 : 0;  // of subnormal numbers
        const auto number = std::bit_cast<int32_t>(offset > 0 ? x * 4294967296.0f : x);
        return std::pair((number >> 23) - 127 - offset, number & 0x7fffff);
    }();
    const double missing = (0x800000 - fraction) / 16777216.0;  // to the next power of two, as a part of it
    const bool carries =
        fraction > 0x7fff00 && static_cast<float>(exponent + 1 - missing * 1.4426950408889634) == static_cast<float>(exponent + 1);
    return exponent + static_cast<int>(carries);
}

struct MXFP4 {
    static constexpr BlockFormat facts{.name = "mxfp4", .ggml_type = 39, .elements = 32, .bytes = 17, .code_bits = 8, .sub_block = 32};

    // 2^(exponent - 128): half of what OCP says, as values are doubled.
    static QUERN_INLINED float scale_of(int exponent) {
        return std::bit_cast<float>(exponent < 2 ? 0x00200000 << exponent : (exponent - 1) << 23);
    }
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        *scales = scale_of(byte_at(block, 0));
        read_table<32>(block + 1, values, codes);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, from += 32, to += facts.bytes) {
            const float max = largest_size<32>(from);
            const int exponent = max > 0.0f ? (floor_log2(max) + 125) & 255 : 0;
            uint8_t indexes[32];
            nearest_values<32>(from, scale_of(exponent), indexes);
            to[0] = as_byte(exponent);
            store_nibbles(indexes, indexes + 16, to + 1);
        }
    }
};

struct NVFP4 {
    static constexpr BlockFormat facts{.name = "nvfp4", .ggml_type = 40, .elements = 64, .bytes = 36, .code_bits = 8, .sub_block = 16};

    // Half of a float with 4 bits of exponent and 3 of fraction; the sign is not looked at. 127 is not a number: 0.
    static QUERN_INLINED float scale_of(int number) {
        const int exponent = number >> 3 & 15, fraction = number & 7;
        if (number == 0x7f) return 0.0f;
        if (exponent == 0) return static_cast<float>(fraction) * 0x1p-10f;
        return std::bit_cast<float>((exponent - 8 + 127) << 23 | fraction << 20);
    }
    // The nearest such float: ties away from zero, at most 448.
    static QUERN_INLINED int number_of(float scale) {
        if (!(scale > 0.0f)) return 0;
        const auto number = std::bit_cast<int32_t>(scale > 448.0f ? 448.0f : scale);
        if (number < (121 << 23)) {
            const float above = std::bit_cast<float>(number) * 512.0f + 0.5f;
            const int fraction = static_cast<int>(above);
            return fraction < 7 ? fraction : 7;
        }
        const int rounded = (number + (1 << 19)) >> 20;
        return rounded - (120 << 3) < 0x7e ? rounded - (120 << 3) : 0x7e;
    }
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        for (size_t p = 0; p < 4; ++p) {
            scales[p] = scale_of(byte_at(block, p));
            read_table<16>(block + 4 + 8 * p, values, codes + 16 * p);
        }
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float*, std::byte* to) {
        for (size_t b = 0; b < count; ++b, to += facts.bytes)
            for (size_t p = 0; p < 4; ++p, from += 16) {
                const int number = number_of(largest_size<16>(from) / 6.0f);
                uint8_t indexes[16];
                nearest_values<16>(from, scale_of(number), indexes);
                to[p] = as_byte(number);
                for (size_t j = 0; j < 8; ++j) to[4 + 8 * p + j] = as_byte(indexes[j] | indexes[j + 8] << 4);
            }
    }
};

}  // namespace

std::vector<BlockFormat> micro_formats(bool wide) { return rows<MXFP4, NVFP4>(wide); }

}  // namespace quern::blocks
