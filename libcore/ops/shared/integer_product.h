// Exact integer convolution and matrix product on codes, which QLinearConv, QGemm and the others requantize in their own way.
#pragma once

#include "libcore/ops/shared/factors.h"
#include "libcore/ops/shared/window.h"

namespace quern {

// The sums of libcore/integer's conv.h, conv_volume.h and matmul.h, which wrap as Acc does: int32_t as the standard's integer operators,
// int64_t where 16-bit codes would overflow it. x [N,C,spatial...] * w [M,C/group,kernel...] -> [N,M,out...], `last`: channels behind the
// space; padding with 0, one to three spatial dims. `out` gets the dims.
template <class Acc = int32_t>
std::vector<Acc> integer_conv(const NodeView& node, const Dims& x_dims, const Factors& x, const Dims& w_dims, const Factors& w, Dims& out,
                              bool last = false);

// A transposed convolution of two spatial dims and one group, as is_plain_conv_transpose() has seen: every element of x [N,C,h,w] adds
// its filter [C,M,kh,kw] to the result, `last`: [N,h,w,C] and [C,kh,kw,M]. `out` gets the dims.
std::vector<int64_t> integer_conv_transpose(const NodeView& node, const Dims& x_dims, const Factors& x, const Dims& w_dims,
                                            const Factors& w, Dims& out, bool last = false);
// The spatial dims of its result. Throws Exit::bad_input if its padding is larger.
Dims transposed_space(const NodeView& node, const Dims& space, const Dims& kernel);
bool is_plain_conv_transpose(const Graph& graph, const Node& node);

// Shapes of a NumPy matmul with broadcast batches.
struct ProductShape {
    int64_t m = 1, k = 1, n = 1;
    Dims batch, out;  // broadcast batch dims; dims of the product
    Dims a_batch, b_batch;
};
ProductShape product_shape(Dims a, Dims b);
Shape product_shape(Shape a, Shape b);  // symbolic: only the product

// The operands of a MatMul or Gemm, centred.
struct MatrixOperands {
    Dims a_dims, b_dims;  // of what is multiplied
    Factors a, b;
    bool b_transposed = false;
    explicit MatrixOperands(EvalCtx& ctx);
};

// `b_transposed`: matrices of b are [n, k].
template <class Acc = int32_t>
std::vector<Acc> integer_matmul(const ProductShape& shape, const Factors& a, const Factors& b, bool b_transposed = false);

}  // namespace quern
