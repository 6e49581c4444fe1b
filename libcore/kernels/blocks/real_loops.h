// Products of real numbers with weights in blocks, which are decoded a piece at a time where they are multiplied.
//
// A result has eight sums, of the products of elements 0 8 16..., 1 9 17... and so on, each in float32 in the order of the elements; at the
// end they are added as ((0+4)+(2+6)) + ((1+5)+(3+7)). With AVX2 products and sums are fused, so its results are its own; they do not
// depend on the number of rows or threads.
#pragma once

#include "libcore/kernels/blocks/block_matrix.h"
#include "libcore/os/threads.h"

namespace quern::block_kernels {

constexpr int real_columns = 12;        // of a tile
constexpr int64_t real_elements = 256;  // of a row of weights that are decoded at a time
constexpr int real_lanes = 8;

// `count` blocks to float32, as BlockFormat::decode; the fastest here.
using Decode = void (*)(const std::byte* blocks, size_t count, float* to);
struct DecodeLoop {
    Decode run;
};
const DecodeLoop* avx2_decode(std::string_view format);  // nullptr: none of its own
Decode quick_decode(const BlockFormat& format);

// Adds the products of `rows` rows x, `stride` numbers from each other, with real_columns rows of weights, real_elements from each other,
// over `count` elements, at most real_elements. Behind `count` weights are 0 up to the next multiple of real_lanes.
// sums [rows][real_columns][real_lanes]
using AddReal = void (*)(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums);
void add_real_portable(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums);
void add_real_avx2(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums);

// x [rows, depth] by the weights to out [rows, columns].
void multiply_real(const BlockMatrix& weights, const float* x, int64_t rows, float* out, ThreadPool& pool);

}  // namespace quern::block_kernels
