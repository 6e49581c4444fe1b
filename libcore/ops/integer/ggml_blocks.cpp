#include "libcore/ops/integer/ggml_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/small_float.h"
#include "libcore/integer/dynamic.h"

namespace quern::ggml {
namespace {

float in_16_bits(float number) { return f16_to_float(float_to_f16(number)); }

int32_t sum_of(const int8_t* codes, int64_t count) {
    int32_t sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += codes[i];
    return sum;
}

int32_t dot(const int8_t* a, const int8_t* b, int64_t count) {
    int32_t sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// One block of weights, taken apart, and the rounded numbers that it meets.
struct Met {
    const BlockFormat& format;
    const std::byte* block;
    const RoundedView& x;
    int64_t first;  // the number of the block's first element in its row
    std::span<const int8_t> codes;
    std::span<const float> scales, mins;  // of its parts
    const int8_t* data() const { return x.codes + first; }
};

float added_super(const Met& met, ReadScales read, float sum) {
    SuperScales own;
    read(met.block, own);
    const int64_t part = met.format.sub_block;
    int32_t total = 0, low = 0;
    for (int64_t i = 0; i < met.format.elements / part; ++i) {
        total += own.scales[i] * dot(met.codes.data() + i * part, met.data() + i * part, part);
        if (met.format.has_min) low += own.mins[i] * sum_of(met.data() + i * part, part);
    }
    const float scale = met.x.scales[met.first / 256];
    sum += own.scale * scale * static_cast<float>(total);
    return met.format.has_min ? sum - own.min_scale * scale * static_cast<float>(low) : sum;
}

float added_parts(const Met& met, int64_t data_block, float sum) {
    const int64_t part = met.format.sub_block, run = std::min(part, data_block);
    for (int64_t at = 0; at < met.format.elements; at += run) {
        const auto i = static_cast<size_t>(at / part);
        const int64_t b = (met.first + at) / data_block;
        sum += met.scales[i] * met.x.scales[b] * static_cast<float>(dot(met.codes.data() + at, met.data() + at, run));
        if (met.format.has_min) sum += met.mins[i] * met.x.sums[b];
    }
    return sum;
}

constexpr std::array<std::pair<std::string_view, ReadScales>, 6> supers{{{"q2_k", q2_k_scales},
                                                                         {"q3_k", q3_k_scales},
                                                                         {"q4_k", q4_k_scales},
                                                                         {"q5_k", q4_k_scales},
                                                                         {"q6_k", q6_k_scales},
                                                                         {"iq4_xs", iq4_xs_scales}}};

}  // namespace

Rounding rounding_beside(const BlockFormat& format) {
    if (!format.quantized()) return Rounding::none;
    return format.elements == 256 ? Rounding::q8_k : format.has_min ? Rounding::q8_1 : Rounding::q8_0;
}

ReadScales super_scales(const BlockFormat& format) {
    const auto found = std::ranges::find(supers, format.name, &std::pair<std::string_view, ReadScales>::first);
    return found == supers.end() ? nullptr : found->second;
}

void refuse_number() { throw bad_input("activations hold a number that is not finite, or too large for blocks of codes"); }

float round_block(Rounding rounding, const float* x, int8_t* codes, float* sum) {
    const auto count = static_cast<size_t>(block_of(rounding));
    if (!std::ranges::all_of(std::span(x, count), [](float item) { return std::isfinite(item); })) refuse_number();
    if (rounding == Rounding::q8_k) return q8_k_codes(x, codes);
    const float scale = q8_0_codes(x, codes);
    if (rounding == Rounding::q8_1) *sum = in_16_bits(static_cast<float>(sum_of(codes, 32)) * scale);
    const float stored = in_16_bits(scale);
    if (!std::isfinite(stored) || (rounding == Rounding::q8_1 && !std::isfinite(*sum))) refuse_number();
    return stored;
}

RoundedRow rounded_row(std::span<const float> x, Rounding rounding) {
    const auto length = static_cast<size_t>(block_of(rounding)), blocks = x.size() / length;
    RoundedRow row{std::vector<int8_t>(x.size()), std::vector<float>(blocks), std::vector<float>(blocks)};
    for (size_t b = 0; b < blocks; ++b)
        row.scales[b] = round_block(rounding, x.data() + b * length, row.codes.data() + b * length, &row.sums[b]);
    return row;
}

float product(const BlockFormat& format, const std::byte* row, const RoundedView& x, int64_t depth) {
    const auto parts = static_cast<size_t>(format.elements / format.sub_block);
    std::vector<int8_t> codes(static_cast<size_t>(format.elements));
    std::vector<float> scales(parts), mins(parts);
    const ReadScales read = super_scales(format);
    const int64_t data_block = block_of(rounding_beside(format));
    float sum = 0;
    for (int64_t first = 0; first < depth; first += format.elements, row += format.bytes) {
        format.unpack(row, codes.data(), scales.data(), mins.data());
        const Met met{format, row, x, first, codes, scales, mins};
        sum = read ? added_super(met, read, sum) : added_parts(met, data_block, sum);
    }
    return sum;
}

void add_products(const BlockFormat& format, const std::byte* weights, int64_t columns, int64_t row_bytes, std::span<const float> x,
                  std::vector<float>& out) {
    const RoundedRow rounded = rounded_row(x, rounding_beside(format));
    for (int64_t c = 0; c < columns; ++c)
        out.push_back(product(format, weights + c * row_bytes, rounded.view(), static_cast<int64_t>(x.size())));
}

}  // namespace quern::ggml
