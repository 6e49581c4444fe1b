// The arithmetic of profile ggml (docs/numerics-ggml.md): rows of activations rounded to blocks of codes, products with rows of weights in
// blocks, the integer scales of ggml's K formats. What kernels for it must give, to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/blocks/block_format.h"

namespace quern::ggml {

// How rows of real numbers are rounded beside weights of a format.
enum class Rounding : uint8_t {
    none,  // plain numbers: not at all
    q8_0,  // blocks of 32, a scale of 16 bits
    q8_1,  // the same with the sum of their numbers, in 16 bits
    q8_k,  // blocks of 256, a scale of 32 bits
};
Rounding rounding_beside(const BlockFormat& format);
constexpr int64_t block_of(Rounding rounding) { return rounding == Rounding::q8_k ? 256 : 32; }

// The scales of a block of 256: those of its parts (of 16 or 32 elements) are whole numbers times one real scale, minima likewise.
struct SuperScales {
    float scale, min_scale;
    int16_t scales[16], mins[16];
};
// nullptr: the format has no such blocks; each part has a real scale.
using ReadScales = void (*)(const std::byte* block, SuperScales& to);
ReadScales super_scales(const BlockFormat& format);

void q2_k_scales(const std::byte* block, SuperScales& to);
void q3_k_scales(const std::byte* block, SuperScales& to);
void q4_k_scales(const std::byte* block, SuperScales& to);  // of q5_k, too
void q6_k_scales(const std::byte* block, SuperScales& to);
void iq4_xs_scales(const std::byte* block, SuperScales& to);

struct RoundedView {
    const int8_t* codes;
    const float *scales, *sums;
};
// A row of real numbers, rounded.
struct RoundedRow {
    std::vector<int8_t> codes;
    std::vector<float> scales;  // one per block
    std::vector<float> sums;    // q8_1: of each block's numbers
    RoundedView view() const { return {codes.data(), scales.data(), sums.data()}; }
};
// One block of 32 or 256; returns its scale. q8_1: `sum` gets its sum. A number that is not finite, or a scale that does not fit into 16
// bits, throws Exit::bad_input.
float round_block(Rounding rounding, const float* x, int8_t* codes, float* sum);
RoundedRow rounded_row(std::span<const float> x, Rounding rounding);
[[noreturn]] void refuse_number();  // what is thrown then

// The product of a row of weights, which lies at `row`, with such a row of `depth` codes.
float product(const BlockFormat& format, const std::byte* row, const RoundedView& x, int64_t depth);
// The products of a row of real numbers, which is rounded as beside these weights, with each of `columns` rows of them, behind `out`.
void add_products(const BlockFormat& format, const std::byte* weights, int64_t columns, int64_t row_bytes, std::span<const float> x,
                  std::vector<float>& out);

}  // namespace quern::ggml
