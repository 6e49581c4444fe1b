// onert's products with ggml's blocks, as Circle has them: Gemm of float32 rows and a constant matrix [columns, depth] of int8 or int4
// codes along whose depth each 32 share a float16 scale. onert hands them to ggml: the rows are rounded to blocks of codes on the way in,
// as profile ggml says (docs/numerics-ggml.md).
#pragma once

#include "libcore/blocks/block_format.h"
#include "libcore/graph/op.h"

namespace quern::one {

bool is_product_of_blocks(const Graph& graph, const Node& node);
void eval_product_of_blocks(EvalCtx& ctx);

// The format whose blocks say what such codes and scales do; nullptr: another encoding.
const BlockFormat* format_of(const Encoding& encoding);
// Codes of such a matrix [columns, depth] as rows of blocks: [columns, bytes].
Tensor rows_of_blocks(const Tensor& codes, const Encoding& encoding);

}  // namespace quern::one
