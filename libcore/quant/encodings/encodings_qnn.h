// What readers and writers of QNN's quant_params share: its numbers of types and of encodings.
//
// "encoding" names the member that has the numbers: 0 "scale_offset", 1 "axis_scale_offset", 2 "bw_scale_offset", 3
// "bw_axis_scale_offset", as the converters write them; blocks and vectors, which those refuse, have members called as the fields of
// its C header: 4 "block" {block_size, scale_offsets}, 5 "blockwise_expansion" {axis, num_blocks_per_axis, block_scale_bitwidth,
// block_scales, scale_offsets}, 6 "vector" {bw_axis_scale_offset, rows_per_block, columns_per_block, vector_dimension, vector_stride,
// index_bitwidth}.
#pragma once

#include <optional>

#include "libcore/quant/encodings/encodings_form.h"

namespace quern::qnn {

inline constexpr int64_t is_defined = 1;  // "definition"
inline constexpr int64_t one_scale = 0, channels = 1, one_of_bits = 2, channels_of_bits = 3, blocks = 4, expanded_blocks = 5, vectors = 6;
inline constexpr int64_t undefined = 0x7fffffff;

std::optional<DType> storage_of(int64_t data_type);              // of a fixed-point type; nullopt: other numbers
std::optional<DType> codes_of(int64_t bits, bool signed_codes);  // of encodings with bits of their own; nullopt: no type here has them
std::optional<int64_t> data_type_of(DType storage);              // codes of 2 bits lie in those of 8

}  // namespace quern::qnn
