// Products of rounded rows with weights in blocks (profile ggml): the loops over them, by format and instruction set. All give what
// ggml::product gives, to the bit: whole numbers are exact, real ones are added block by block for each result.
#pragma once

#include <string_view>

#include "libcore/kernels/blocks/block_matrix.h"
#include "libcore/kernels/blocks/rounded_rows.h"

namespace quern::block_kernels {

constexpr int few_columns = 8, many_columns = 16;
constexpr int64_t max_rows = 128;  // of `many`

struct CodeLoops {
    // `count` columns from `first` on, at most `columns`, of one row.
    void (*few)(const BlockMatrix& weights, int64_t first, int count, const RowView& x, float* out);
    // `count` columns, at most many_columns, of rows [row, row + rows), at most max_rows, to [rows][many_columns].
    void (*many)(const BlockMatrix& weights, int64_t first, int count, const RoundedRows& x, int64_t row, int64_t rows, float* out);
    int columns = few_columns;
};
extern const CodeLoops portable_loops;                   // any quantized format
const CodeLoops* avx2_loops(std::string_view format);    // nullptr: has none of its own
const CodeLoops* vnni_loops(std::string_view format);    // of AVX-512; nullptr also where the machine has no such instructions
const CodeLoops& code_loops(const BlockFormat& format);  // the fastest here

// x [rows, depth] by the weights to out [rows, columns].
void multiply_codes(const BlockMatrix& weights, const RoundedRows& x, float* out, ThreadPool& pool);

}  // namespace quern::block_kernels
