// The tail of a convolution or matrix product (tail.h) as oneDNN's post-ops.
#pragma once

#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/kernels/tail.h"

namespace quern::onednn {

dnnl::algorithm algorithm_of(EltwiseKind kind);
dnnl::post_ops post_ops_of(const Tail& tail);

// The destination of a kernel with a residual: a buffer that holds input `index` in the format `desc`, in place if it may be.
Buffer residual_buffer(KernelCtx& ctx, size_t index, const dnnl::memory::desc& desc);

}  // namespace quern::onednn
