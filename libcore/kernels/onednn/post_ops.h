// What a convolution or matrix product does to its result before it writes it: the nodes that a site absorbs after the first.
#pragma once

#include <optional>

#include "libcore/kernels/onednn/dnnl_value.h"

namespace quern::onednn {

struct Eltwise {
    dnnl::algorithm algorithm;
    float alpha = 0, beta = 0;
};
// The eltwise post-op of a unary node (Relu, Clip with constant bounds, Sigmoid, Gelu, scalar Mul/Add ...), if there is one.
std::optional<Eltwise> eltwise_of(const Graph& graph, const Node& node, ValueId chained);

// Can `next` be one more elementwise operation behind the site? Not two of one algorithm: oneDNN 2.6 mixes up their parameters.
bool is_chained_eltwise(const Site& site, const Node& next);

// Add of a value that certainly has the shape of the result.
bool is_residual_add(const Site& site, const Node& next);

// Post-ops of site.nodes from number `begin` on; `residual` gets the index in site.in of the value to be summed, if there is one.
dnnl::post_ops post_ops_of(const Site& site, size_t begin, std::optional<size_t>& residual, std::string& name);

// The destination of a kernel with a residual: a buffer that holds input `index` in the format `desc`, in place if it may be.
Buffer residual_buffer(KernelCtx& ctx, size_t index, const dnnl::memory::desc& desc);

}  // namespace quern::onednn
