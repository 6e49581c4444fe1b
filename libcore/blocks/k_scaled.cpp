// K formats without minimum: sixteen parts of 16, whose scales have signs.
#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/k_codes.h"
#include "libcore/blocks/search.h"
#include "libcore/blocks/weights.h"

namespace quern::blocks {
namespace {

constexpr size_t parts = 16, n = k_size / parts;

// Of the scale of largest size, the first: itself.
QUERN_INLINED float largest_scale(const float* scales) {
    float max = 0;
    for (size_t p = 0; p < parts; ++p) max = __builtin_fabsf(scales[p]) > __builtin_fabsf(max) ? scales[p] : max;
    return max;
}

// Codes of scales times this factor.
QUERN_INLINED void scale_codes(const float* scales, float factor, int lowest, int highest, int zero, uint8_t* codes) {
    for (size_t p = 0; p < parts; p += lane_count) {
        const Ints rounded = clamp(nearest(factor * load_lanes(scales + p)), lowest, highest) + zero;
        for (size_t lane = 0; lane < lane_count; ++lane) codes[p + lane] = static_cast<uint8_t>(rounded[lane]);
    }
}

QUERN_INLINED void to_signed(const uint8_t* codes, int zero, int8_t* out) {
    for (size_t i = 0; i < k_size; ++i) out[i] = static_cast<int8_t>(codes[i] - zero);
}

// Scales of all parts and the codes that they were found by.
template <class Search>
QUERN_INLINED void search_parts(const float* from, const float* weights, const Search& search, float* scales, uint8_t* codes) {
    for (size_t p = 0; p < parts; p += lane_count) {
        CodesOf<n> found;
        store_lanes(search(PartsOf<n>::of(from + p * n), PartsOf<n>::of(weights + p * n), found), scales + p);
        found.to(codes + p * n);
    }
}

struct Q3_K {
    static constexpr BlockFormat facts{.name = "q3_k", .ggml_type = 11, .elements = 256, .bytes = 110, .code_bits = 4, .sub_block = 16};
    static constexpr size_t high_at = 0, low_at = 32, scales_at = 96, d_at = 108;

    static QUERN_INLINED void scales_of(const std::byte* block, float* scales) {
        uint8_t codes[parts];
        read_sixes(block + scales_at, codes);
        const float scale = half(block + d_at);
        for (size_t p = 0; p < parts; ++p) scales[p] = scale * static_cast<float>(codes[p] - 32);
    }
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        uint8_t positive[k_size] = {};
        read_plane<2, 32>(block + low_at, positive);
        read_plane<1, 32, 2>(block + high_at, positive);
        to_signed(positive, 4, codes);
        scales_of(block, scales);
    }

    static QUERN_INLINED void scales_by_largest(const float* scales, std::byte* to) {
        uint8_t codes[parts] = {};
        const float max = largest_scale(scales), factor = -32.0f / max;
        if (max != 0.0f) scale_codes(scales, factor, -32, 31, 32, codes);
        write_sixes(codes, to + scales_at);
        store_half(to + d_at, max != 0.0f ? 1.0f / factor : 0.0f);
    }
    static QUERN_INLINED void scales_by_search(const float* scales, const float* weights, std::byte* to) {
        float sums[parts];
        sum_parts(weights, parts, n, sums);
        PartsOf<parts> x, w;  // one lane is in use
        for (size_t p = 0; p < parts; ++p) {
            x.at[p] = Floats{scales[p]};
            w.at[p] = Floats{sums[p]};
        }
        CodesOf<parts> found;
        store_half(to + d_at, search_scale(x, w, 32, found)[0]);
        uint8_t codes[parts];
        for (size_t p = 0; p < parts; ++p) codes[p] = static_cast<uint8_t>(found.at[p][0]);
        write_sixes(codes, to + scales_at);
    }

    static QUERN_INLINED void encode_block(const float* from, const float* importance, std::byte* to) {
        alignas(32) float weights[k_size], scales[parts];
        uint8_t codes[k_size];
        if (importance) {
            weigh(from, importance, 2.0f * sum_of_squares(from, k_size) / 256.0f, k_size, weights);
            search_parts(
                from, weights,
                [](const PartsOf<n>& x, const PartsOf<n>& w, CodesOf<n>& found) QUERN_LAMBDA { return search_scale(x, w, 4, found); },
                scales, codes);
            scales_by_search(scales, weights, to);
        } else {
            search_parts(
                from, from,
                [](const PartsOf<n>& x, const PartsOf<n>&, CodesOf<n>& found) QUERN_LAMBDA { return descend_to_scale(x, 4, found); },
                scales, codes);
            scales_by_largest(scales, to);
        }
        scales_of(to, scales);  // as they are stored
        for (size_t p = 0; p < parts; ++p) round_to(from + p * n, n, scales[p], 0, -4, 3, codes + p * n);
        write_plane<2, 32>(codes, to + low_at);
        write_plane<1, 32, 2>(codes, to + high_at);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float* importance, std::byte* to) {
        for (size_t b = 0; b < count; ++b)
            encode_block(from + b * k_size, importance ? importance + b * k_size : nullptr, to + b * facts.bytes);
    }
};

struct Q6_K {
    static constexpr BlockFormat facts{.name = "q6_k", .ggml_type = 14, .elements = 256, .bytes = 210, .code_bits = 8, .sub_block = 16};
    static constexpr size_t low_at = 0, high_at = 128, scales_at = 192, d_at = 208;

    static QUERN_INLINED void scales_of(const std::byte* block, float* scales) {
        const float scale = half(block + d_at);
        for (size_t p = 0; p < parts; ++p) scales[p] = scale * static_cast<float>(load<int8_t>(block + scales_at + p));
    }
    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float*) {
        uint8_t positive[k_size] = {};
        read_plane<4, 64>(block + low_at, positive);
        read_plane<2, 32, 4>(block + high_at, positive);
        to_signed(positive, 32, codes);
        scales_of(block, scales);
    }

    static QUERN_INLINED void encode_block(const float* from, const float* importance, std::byte* to) {
        alignas(32) float weights[k_size], scales[parts];
        uint8_t codes[k_size], of_scales[parts];
        if (!importance) squares(from, k_size, weights);
        search_parts(
            from, importance ? importance : weights,
            [](const PartsOf<n>& x, const PartsOf<n>& w, CodesOf<n>& found) QUERN_LAMBDA { return search_scale(x, w, 32, found); }, scales,
            codes);
        const float max = largest_scale(scales), factor = -128.0f / max;
        if (__builtin_fabsf(max) < all_zero) {
            std::memset(to, 0, facts.bytes);
            return;
        }
        scale_codes(scales, factor, INT32_MIN, 127, 0, of_scales);
        std::memcpy(to + scales_at, of_scales, parts);
        store_half(to + d_at, 1.0f / factor);
        scales_of(to, scales);  // as they are stored
        for (size_t p = 0; p < parts; ++p) round_to(from + p * n, n, scales[p], 0, -32, 31, codes + p * n);
        write_plane<4, 64>(codes, to + low_at);
        write_plane<2, 32, 4>(codes, to + high_at);
    }
    static QUERN_INLINED void encode(const float* from, size_t count, const float* importance, std::byte* to) {
        for (size_t b = 0; b < count; ++b)
            encode_block(from + b * k_size, importance ? importance + b * k_size : nullptr, to + b * facts.bytes);
    }
};

}  // namespace

std::vector<BlockFormat> k_scaled_formats(bool wide) { return rows<Q3_K, Q6_K>(wide); }

}  // namespace quern::blocks
