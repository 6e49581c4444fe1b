// K formats with a minimum: a code times a scale less a minimum. Parts of 16 or 32 have scales and minima of a few bits.
#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"
#include "libcore/blocks/k_codes.h"
#include "libcore/blocks/search.h"
#include "libcore/blocks/weights.h"

namespace quern::blocks {
namespace {

// What Q2_K, Q4_K and Q5_K share. A Layout has: parts; levels, the largest code; top, the largest code of a scale; d_at, where the halves
// are; steps of the search without importance; read and write of scales and codes.
template <class Layout>
struct Ranged {
    static constexpr size_t parts = Layout::parts, n = k_size / parts;

    static QUERN_INLINED void scales_of(const std::byte* block, float* scales, float* mins) {
        uint8_t scale_codes[parts], min_codes[parts];
        Layout::read_scales(block, scale_codes, min_codes);
        const float scale = half(block + Layout::d_at), min = -half(block + Layout::d_at + 2);
        for (size_t p = 0; p < parts; ++p) {
            scales[p] = scale * static_cast<float>(scale_codes[p]);
            mins[p] = min * static_cast<float>(min_codes[p]);
        }
    }

    static QUERN_INLINED void unpack(const std::byte* block, int8_t* codes, float* scales, float* mins) {
        uint8_t unsigned_codes[k_size] = {};
        Layout::read_codes(block, unsigned_codes);
        std::memcpy(codes, unsigned_codes, k_size);
        scales_of(block, scales, mins);
    }

    // From the block's scales of parts, without importance: the largest gets the largest code.
    static QUERN_INLINED float codes_by_largest(const float* numbers, uint8_t* codes) {
        float max = 0;
        for (size_t p = 0; p < parts; ++p) max = numbers[p] > max ? numbers[p] : max;
        const float inverse = max > 0 ? static_cast<float>(Layout::top) / max : 0.0f;
        for (size_t p = 0; p < parts; p += lane_count) {
            const Ints rounded = nearest(inverse * load_lanes(numbers + p)) & 255;
            for (size_t lane = 0; lane < lane_count; ++lane)
                codes[p + lane] = static_cast<uint8_t>(rounded[lane] < Layout::cap ? rounded[lane] : Layout::cap);
        }
        return max / static_cast<float>(Layout::top);
    }

    // With importance. Two lanes are in use: scales and minima.
    static QUERN_INLINED void codes_by_search(const float* scales, const float* mins, const float* sums, std::byte* block,
                                              uint8_t* scale_codes, uint8_t* min_codes) {
        PartsOf<parts> x, w;
        for (size_t p = 0; p < parts; ++p) {
            x.at[p] = Floats{scales[p], mins[p]};
            w.at[p] = Floats{sums[p], sums[p]};
        }
        CodesOf<parts> codes;
        const Floats found = search_scale_of_scales(x, w, Layout::top, codes);
        for (size_t p = 0; p < parts; ++p) {
            scale_codes[p] = static_cast<uint8_t>(codes.at[p][0]);
            min_codes[p] = static_cast<uint8_t>(codes.at[p][1]);
        }
        store_half(block + Layout::d_at, found[0]);
        store_half(block + Layout::d_at + 2, found[1]);
    }

    static QUERN_INLINED void encode_block(const float* from, const float* importance, std::byte* to) {
        alignas(32) float weights[k_size], scales[parts], mins[parts];
        uint8_t codes[k_size], scale_codes[parts], min_codes[parts];
        if (importance)
            weigh(from, importance, Layout::mean_of(sum_of_squares(from, k_size)), k_size, weights);
        else
            Layout::weights_of(from, weights);
        const RangeSteps steps = importance ? RangeSteps{Layout::levels, -0.9f, 0.05f, 36, false} : Layout::steps;
        for (size_t p = 0; p < parts; p += lane_count) {
            const auto x = PartsOf<n>::of(from + p * n), w = PartsOf<n>::of(weights + p * n);
            CodesOf<n> found;
            const Range range = RangeSearch<n>(x, w, steps).run(found);
            found.to(codes + p * n);
            store_lanes(range.scale, scales + p);
            store_lanes(range.min, mins + p);
        }
        if (importance) {
            float sums[parts];
            sum_parts(weights, parts, n, sums);
            codes_by_search(scales, mins, sums, to, scale_codes, min_codes);
        } else {
            store_half(to + Layout::d_at, codes_by_largest(scales, scale_codes));
            store_half(to + Layout::d_at + 2, codes_by_largest(mins, min_codes));
        }
        Layout::write_scales(scale_codes, min_codes, to);
        scales_of(to, scales, mins);  // as they are stored
        for (size_t p = 0; p < parts; ++p) round_to(from + p * n, n, scales[p], mins[p], 0, Layout::levels, codes + p * n);
        Layout::write_codes(codes, to);
    }

    static QUERN_INLINED void encode(const float* from, size_t count, const float* importance, std::byte* to) {
        for (size_t b = 0; b < count; ++b)
            encode_block(from + b * k_size, importance ? importance + b * k_size : nullptr, to + b * Layout::bytes);
    }
};

struct TwoBits {
    static constexpr size_t parts = 16, d_at = 80, bytes = 84;
    static constexpr int levels = 3, top = 15, cap = 255;
    static constexpr RangeSteps steps{levels, -0.5f, 0.1f, 15, true};
    static QUERN_INLINED float mean_of(float sum) { return sum / 256.0f; }
    static QUERN_INLINED void weights_of(const float* x, float* weights) {
        for (size_t i = 0; i < k_size; ++i) weights[i] = __builtin_fabsf(x[i]);
    }
    static QUERN_INLINED void read_scales(const std::byte* block, uint8_t* scales, uint8_t* mins) {
        for (size_t p = 0; p < parts; ++p) {
            scales[p] = static_cast<uint8_t>(byte_at(block, p) & 15);
            mins[p] = static_cast<uint8_t>(byte_at(block, p) >> 4);
        }
    }
    static QUERN_INLINED void write_scales(const uint8_t* scales, const uint8_t* mins, std::byte* block) {
        for (size_t p = 0; p < parts; ++p) block[p] = as_byte(scales[p] | mins[p] << 4);
    }
    static QUERN_INLINED void read_codes(const std::byte* block, uint8_t* codes) { read_plane<2, 32>(block + 16, codes); }
    static QUERN_INLINED void write_codes(const uint8_t* codes, std::byte* block) { write_plane<2, 32>(codes, block + 16); }
};

// What Q4_K and Q5_K share.
struct EightParts {
    static constexpr size_t parts = 8, d_at = 0;
    static constexpr int top = 63, cap = 63;
    static QUERN_INLINED float mean_of(float sum) { return 2.0f * sum / 256.0f; }
    static QUERN_INLINED void weights_of(const float* x, float* weights) {
        for (size_t p = 0; p < parts; ++p, x += 32, weights += 32) {
            const float mean = __builtin_sqrtf(sum_of_squares(x, 32) / 32.0f);
            for (size_t i = 0; i < 32; ++i) weights[i] = mean + __builtin_fabsf(x[i]);
        }
    }
    static QUERN_INLINED void read_scales(const std::byte* block, uint8_t* scales, uint8_t* mins) { read_pairs(block + 4, scales, mins); }
    static QUERN_INLINED void write_scales(const uint8_t* scales, const uint8_t* mins, std::byte* block) {
        write_pairs(scales, mins, block + 4);
    }
};

struct FourBits : EightParts {
    static constexpr size_t bytes = 144;
    static constexpr int levels = 15;
    static constexpr RangeSteps steps{levels, -1.0f, 0.1f, 20, false};
    static QUERN_INLINED void read_codes(const std::byte* block, uint8_t* codes) { read_plane<4, 32>(block + 16, codes); }
    static QUERN_INLINED void write_codes(const uint8_t* codes, std::byte* block) { write_plane<4, 32>(codes, block + 16); }
};

struct FiveBits : EightParts {
    static constexpr size_t bytes = 176;
    static constexpr int levels = 31;
    static constexpr RangeSteps steps{levels, -0.5f, 0.1f, 15, false};
    static QUERN_INLINED void read_codes(const std::byte* block, uint8_t* codes) {
        read_plane<4, 32>(block + 48, codes);
        read_plane<1, 32, 4>(block + 16, codes);
    }
    static QUERN_INLINED void write_codes(const uint8_t* codes, std::byte* block) {
        write_plane<4, 32>(codes, block + 48);
        write_plane<1, 32, 4>(codes, block + 16);
    }
};

struct Q2_K : Ranged<TwoBits> {
    static constexpr BlockFormat facts{.name = "q2_k",
                                       .ggml_type = 10,
                                       .elements = 256,
                                       .bytes = TwoBits::bytes,
                                       .code_bits = 4,
                                       .code_signed = false,
                                       .sub_block = 16,
                                       .has_min = true};
};
struct Q4_K : Ranged<FourBits> {
    static constexpr BlockFormat facts{.name = "q4_k",
                                       .ggml_type = 12,
                                       .elements = 256,
                                       .bytes = FourBits::bytes,
                                       .code_bits = 4,
                                       .code_signed = false,
                                       .sub_block = 32,
                                       .has_min = true};
};
struct Q5_K : Ranged<FiveBits> {
    static constexpr BlockFormat facts{.name = "q5_k",
                                       .ggml_type = 13,
                                       .elements = 256,
                                       .bytes = FiveBits::bytes,
                                       .code_bits = 8,
                                       .code_signed = false,
                                       .sub_block = 32,
                                       .has_min = true};
};

}  // namespace

std::vector<BlockFormat> k_ranged_formats(bool wide) { return rows<Q2_K, Q4_K, Q5_K>(wide); }

}  // namespace quern::blocks
