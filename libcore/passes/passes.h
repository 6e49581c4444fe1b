// Every pass, one row each at the end of its file; table.cpp lists them in the order of the default pipeline.
#pragma once

#include "libcore/passes/pass.h"

namespace quern {

extern const Pass fold_constants, fuse_batchnorm, drop_dead, drop_identity, drop_transpose_pairs, fuse_gelu, fuse_layernorm, fuse_lstm,
    fuse_gru, fuse_rmsnorm, make_gemm, merge_common, move_layout, move_layout_back, fold_qdq, inline_branches;

}  // namespace quern
