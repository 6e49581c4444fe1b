// SPDX-FileCopyrightText: 2023-2026 The ggml authors
// SPDX-FileCopyrightText: 2026 the quern authors
// SPDX-License-Identifier: Apache-2.0 AND MIT
//
// Formats of a table of 16 numbers that are closer together around zero; the search for their scales is ggml's, whose notice is
// LICENSES/MIT.txt.
#include <algorithm>
#include <iterator>

#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/lanes.h"
#include "libcore/blocks/search.h"
#include "libcore/blocks/tables.h"
#include "libcore/blocks/weights.h"

namespace quern::blocks {
namespace {

constexpr Table values{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr size_t n = 32;

// Halfway between two neighbours: numbers from there on belong to the upper one.
constexpr float limit(size_t i) { return static_cast<float>(values[i] + values[i + 1]) / 2.0f; }
constexpr Floats pairs{limit(3), limit(11)}, fours{limit(1), limit(5), limit(9), limit(13)};
constexpr Floats eights{limit(0), limit(2), limit(4), limit(6), limit(8), limit(10), limit(12), limit(14)};
constexpr Floats below{values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]};
constexpr Floats above{values[8], values[9], values[10], values[11], values[12], values[13], values[14], values[15]};

// Which of the values is nearest, by halves of the table.
QUERN_INLINED Ints index_of(Floats x) {
    Ints index = !(x < limit(7)) & 1;
    index = index * 2 + (!(x < pick(pairs, index)) & 1);
    index = index * 2 + (!(x < pick(fours, index)) & 1);
    return index * 2 + (!(x < pick(eights, index)) & 1);
}
QUERN_INLINED Floats value_of(Ints index) { return select(index < 8, pick(below, index & 7), pick(above, index & 7)); }

// The scale of eight parts: the first guess gives the number of largest size the first value, later ones others near it.
QUERN_INLINED Floats search_table_scale(const PartsOf<n>& x, const PartsOf<n>& w) {
    const Floats largest = signed_largest(x);
    const auto fit = [&](Floats inverse) QUERN_LAMBDA {
        Fit sums;
        for (size_t i = 0; i < n; ++i) {
            const Floats q = value_of(index_of(inverse * x.at[i])), wq = w.at[i] * q;
            sums.wxq += wq * x.at[i];
            sums.wqq += wq * q;
        }
        return sums;
    };
    const Fit first = fit(1.0f / (-largest / static_cast<float>(values[0])));
    Floats scale = first.scale_or(Floats{}, first.wqq > 0.0f), best = scale * first.wxq;
    for (int step = -7; step <= 7; ++step) {
        const Fit sums = fit(static_cast<float>(step + values[0]) / largest);
        const Ints better = (sums.wqq > 0.0f) & (sums.wxq * sums.wxq > best * sums.wqq);
        scale = sums.scale_or(scale, better);
        best = select(better, scale * sums.wxq, best);
    }
    return select(magnitude(largest) < all_zero, Floats{}, scale);
}

// The scales of eight parts that lie one after the other.
QUERN_INLINED void search_eight(const float* from, const float* weights, float* scales) {
    store_lanes(search_table_scale(PartsOf<n>::of(from), PartsOf<n>::of(weights)), scales);
}

// Of a block of `size` numbers.
QUERN_INLINED void weigh_block(const float* from, const float* importance, size_t size, float* weights) {
    if (importance)
        weigh(from, importance, sum_of_squares(from, size) * (2.0f / static_cast<float>(size)), size, weights);
    else
        squares(from, size, weights);
}

QUERN_INLINED void write_part(const float* from, float scale, std::byte* to) {
    const float inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
    uint8_t indexes[n];
    for (size_t i = 0; i < n; i += lane_count) {
        const Ints index = index_of(inverse * load_lanes(from + i));
        for (size_t lane = 0; lane < lane_count; ++lane) indexes[i + lane] = static_cast<uint8_t>(index[lane]);
    }
    store_nibbles(indexes, indexes + n / 2, to);
}

struct IQ4_NL {
    static constexpr BlockFormat facts{.name = "iq4_nl", .ggml_type = 20, .elements = 32, .bytes = 18, .code_bits = 8, .sub_block = 32};

    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        *scales = half(block);
        read_table<n>(block + 2, values, codes);
    }
    static void pack_parts(const int8_t* codes, const float* scales, const float*, std::byte* block) {
        uint8_t indexes[n];
        for (size_t i = 0; i < n; ++i) indexes[i] = static_cast<uint8_t>(std::ranges::find(values, codes[i]) - std::begin(values)) & 15;
        store_half(block, *scales);
        store_nibbles(indexes, indexes + n / 2, block + 2);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float* importance, std::byte* to) {
        for (size_t b = 0; b < count; b += lane_count, from += lane_count * n) {
            const size_t used = count - b < lane_count ? count - b : lane_count;
            float x[lane_count * n] = {}, w[lane_count * n] = {};
            alignas(32) float scales[lane_count];
            std::memcpy(x, from, used * n * sizeof *x);
            for (size_t i = 0; i < used; ++i) weigh_block(x + i * n, importance ? importance + (b + i) * n : nullptr, n, w + i * n);
            search_eight(x, w, scales);
            for (size_t i = 0; i < used; ++i, to += facts.bytes) {
                store_half(to, scales[i]);
                write_part(x + i * n, scales[i], to + 2);
            }
        }
    }
};

struct IQ4_XS {
    static constexpr size_t parts = 8, size = parts * n;
    static constexpr BlockFormat facts{.name = "iq4_xs", .ggml_type = 23, .elements = size, .bytes = 136, .code_bits = 8, .sub_block = 32};

    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        const float scale = half(block);
        const auto high = load<uint16_t>(block + 2);
        for (size_t p = 0; p < parts; ++p) {
            const int code = (byte_at(block + 4, p / 2) >> (p % 2 * 4) & 15) | (high >> (2 * p) & 3) << 4;
            scales[p] = scale * static_cast<float>(code - 32);
            read_table<n>(block + 8 + 16 * p, values, codes + n * p);
        }
    }
    static QUERN_INLINED void encode_block(const float* from, const float* importance, std::byte* to) {
        alignas(32) float weights[size], scales[parts];
        weigh_block(from, importance, size, weights);
        search_eight(from, weights, scales);
        float max = 0;
        for (const float scale : scales) max = __builtin_fabsf(scale) > __builtin_fabsf(max) ? scale : max;
        const float scale = -max / 32.0f, inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
        const Ints codes = clamp(nearest(inverse * load_lanes(scales)), -32, 31);
        unsigned low = 0, high = 0;
        for (size_t p = 0; p < parts; ++p) {
            const auto code = static_cast<unsigned>(codes[p] + 32);
            low |= (code & 15) << (4 * p);
            high |= code >> 4 << (2 * p);
            write_part(from + n * p, scale * static_cast<float>(codes[p]), to + 8 + 16 * p);
        }
        store_half(to, scale);
        store(to + 2, static_cast<uint16_t>(high));
        store(to + 4, low);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float* importance, std::byte* to) {
        for (size_t b = 0; b < count; ++b)
            encode_block(from + b * size, importance ? importance + b * size : nullptr, to + b * facts.bytes);
    }
};

}  // namespace

std::vector<BlockFormat> iq4_formats(bool wide) { return rows<IQ4_NL, IQ4_XS>(wide); }

}  // namespace quern::blocks
