// oneDNN's second interface: operations are described first, and descriptions of memory are structures of numbers.
#include <algorithm>

#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/kernels/onednn/interface.h"
#include "libcore/kernels/onednn/post_ops.h"

namespace quern::onednn {

using Desc = dnnl::memory::desc;
using Attr = dnnl::primitive_attr;
constexpr auto inference = dnnl::prop_kind::forward_inference;

dnnl::memory::dims dims_of(const Desc& desc) { return desc.dims(); }

dnnl::convolution_forward::primitive_desc convolution_desc(const Desc& src, const Desc& filter, const Desc& bias, const Desc& dst,
                                                           const Window& window, const Attr& attr) {
    const dnnl::convolution_forward::desc desc(inference, dnnl::algorithm::convolution_auto, src, filter, bias, dst, to_dnnl(window.stride),
                                               skipped(window.dilation), to_dnnl(window.before), to_dnnl(window.after));
    return {desc, attr, engine()};
}

dnnl::pooling_forward::primitive_desc pooling_desc(dnnl::algorithm algorithm, const Desc& src, const Desc& dst, const Window& window,
                                                   const Attr& attr) {
    const dnnl::pooling_forward::desc desc(inference, algorithm, src, dst, to_dnnl(window.stride), to_dnnl(window.kernel),
                                           to_dnnl(window.before), to_dnnl(window.after));
    return {desc, attr, engine()};
}

dnnl::matmul::primitive_desc matmul_desc(const Desc& src, const Desc& weights, const Desc* bias, const Desc& dst, const Attr& attr) {
    const dnnl::matmul::desc desc = bias ? dnnl::matmul::desc(src, weights, *bias, dst) : dnnl::matmul::desc(src, weights, dst);
    return {desc, attr, engine()};
}

dnnl::softmax_forward::primitive_desc softmax_desc(const Desc& desc, int axis, const Attr& attr) {
    return {{inference, desc, axis}, attr, engine()};
}

dnnl::layer_normalization_forward::primitive_desc layer_norm_desc(const Desc& desc, float epsilon, const Attr& attr) {
    using Flags = dnnl::normalization_flags;
    return {{inference, desc, epsilon, Flags::use_scale | Flags::use_shift}, attr, engine()};
}

dnnl::eltwise_forward::primitive_desc eltwise_desc(const Eltwise& eltwise, const Desc& desc, const Attr& attr) {
    return {{inference, algorithm_of(eltwise.kind), desc, eltwise.alpha, eltwise.beta}, attr, engine()};
}

dnnl::binary::primitive_desc binary_desc(dnnl::algorithm algorithm, const Desc& desc, const Attr& attr) {
    return {{algorithm, desc, desc, desc}, attr, engine()};
}

void append_eltwise(dnnl::post_ops& ops, const Eltwise& eltwise) {
    ops.append_eltwise(1.0f, algorithm_of(eltwise.kind), eltwise.alpha, eltwise.beta);
}

std::optional<Blocked> blocked_of(const Desc& desc) {
    const dnnl_memory_desc_t& d = desc.data;
    if (d.format_kind != dnnl_blocked || d.data_type != dnnl_f32 || d.offset0 != 0 || d.extra.flags != 0) return std::nullopt;
    const dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
    const auto items = [](const dnnl_dim_t* from, int count) { return Dims(from, from + count); };
    return Blocked{items(d.dims, d.ndims), items(d.padded_dims, d.ndims), items(blocking.strides, d.ndims),
                   items(blocking.inner_blks, blocking.inner_nblks), items(blocking.inner_idxs, blocking.inner_nblks)};
}

std::optional<Desc> desc_of(const Blocked& blocked) {
    dnnl_memory_desc_t d{};
    d.ndims = static_cast<int>(blocked.dims.size());
    d.data_type = dnnl_f32;
    d.format_kind = dnnl_blocked;
    dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
    blocking.inner_nblks = static_cast<int>(blocked.blocks.size());
    std::ranges::copy(blocked.dims, d.dims);
    std::ranges::copy(blocked.padded, d.padded_dims);
    std::ranges::copy(blocked.strides, blocking.strides);
    std::ranges::copy(blocked.blocks, blocking.inner_blks);
    std::ranges::copy(blocked.block_dims, blocking.inner_idxs);
    return Desc(d);
}

}  // namespace quern::onednn
