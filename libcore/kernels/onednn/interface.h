// What oneDNN's second interface (Debian 12 has it) and its third (later releases have it) say in different words: interface2.cpp or
// interface3.cpp is compiled. Each description is of a primitive for inference on this process's engine, in row-major float32 but where
// layouts are given; oneDNN throws dnnl::error for what it cannot make.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

#include "libcore/kernels/tail.h"
#include "libcore/ops/shared/window.h"

namespace quern::onednn {

dnnl::memory::dims dims_of(const dnnl::memory::desc& desc);

dnnl::convolution_forward::primitive_desc convolution_desc(const dnnl::memory::desc& src, const dnnl::memory::desc& filter,
                                                           const dnnl::memory::desc& bias, const dnnl::memory::desc& dst,
                                                           const Window& window, const dnnl::primitive_attr& attr);
dnnl::pooling_forward::primitive_desc pooling_desc(dnnl::algorithm algorithm, const dnnl::memory::desc& src, const dnnl::memory::desc& dst,
                                                   const Window& window, const dnnl::primitive_attr& attr);
// `bias`: its description, or nullptr.
dnnl::matmul::primitive_desc matmul_desc(const dnnl::memory::desc& src, const dnnl::memory::desc& weights, const dnnl::memory::desc* bias,
                                         const dnnl::memory::desc& dst, const dnnl::primitive_attr& attr);
// Result and data, both operands of binary_desc, too, lie as `desc`.
dnnl::softmax_forward::primitive_desc softmax_desc(const dnnl::memory::desc& desc, int axis, const dnnl::primitive_attr& attr);
dnnl::layer_normalization_forward::primitive_desc layer_norm_desc(const dnnl::memory::desc& desc, float epsilon,
                                                                  const dnnl::primitive_attr& attr);
dnnl::eltwise_forward::primitive_desc eltwise_desc(const Eltwise& eltwise, const dnnl::memory::desc& desc,
                                                   const dnnl::primitive_attr& attr);
dnnl::binary::primitive_desc binary_desc(dnnl::algorithm algorithm, const dnnl::memory::desc& desc, const dnnl::primitive_attr& attr);
void append_eltwise(dnnl::post_ops& ops, const Eltwise& eltwise);

// A layout of float32 whose dims come in blocks: of each dim its length, its length with padding, and its stride in elements from block to
// block; of each inner block, from the outermost, its length and the dim it is of.
struct Blocked {
    Dims dims, padded, strides, blocks, block_dims;
};
// That of `desc`, if it is no more than that: no other kind or type, no sums for compensation beside its elements.
std::optional<Blocked> blocked_of(const dnnl::memory::desc& desc);
// The description of a layout whose numbers fit one another; nothing if this oneDNN has no such layout.
std::optional<dnnl::memory::desc> desc_of(const Blocked& blocked);

}  // namespace quern::onednn
