// Every pass, one row each at the end of its file.
#pragma once

#include <array>

#include "libcore/passes/pass.h"

namespace quern {

extern const Pass fold_constants, fuse_batchnorm, drop_dead, drop_identity, drop_transpose_pairs, fuse_gelu, fuse_layernorm, fuse_lstm,
    fuse_gru, fuse_lpnorm, fuse_rmsnorm, fuse_channelnorm, drop_neutral, make_gemm, merge_common, move_layout, move_layout_back, fold_qdq,
    inline_branches, unpack_blocks, decode_floats, decode_weights, fuse_rotary, fuse_attention, fold_fake_quant, split_attention,
    expand_attention, unroll_recurrent, to_float32;

// In the order of the default pipeline.
inline constexpr std::array pass_table{
    &drop_identity,   &fold_qdq,         &fold_constants,   &inline_branches, &fuse_batchnorm,   &fuse_lstm,
    &fuse_gru,        &fuse_gelu,        &fuse_layernorm,   &fuse_rmsnorm,    &fuse_channelnorm, &drop_transpose_pairs,
    &drop_neutral,    &merge_common,     &drop_dead,        &move_layout,     &move_layout_back, &make_gemm,
    &unpack_blocks,   &decode_floats,    &decode_weights,   &fuse_rotary,     &fuse_attention,   &fold_fake_quant,
    &split_attention, &expand_attention, &unroll_recurrent, &to_float32,      &fuse_lpnorm};

}  // namespace quern
