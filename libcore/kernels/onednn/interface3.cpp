// oneDNN's third interface: primitives are described in one step, and descriptions of memory say what they are only when they are asked.
#include <map>

#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/kernels/onednn/interface.h"
#include "libcore/kernels/onednn/post_ops.h"

namespace quern::onednn {

using Desc = dnnl::memory::desc;
using Attr = dnnl::primitive_attr;
constexpr auto inference = dnnl::prop_kind::forward_inference;
constexpr auto f32 = dnnl::memory::data_type::f32;

dnnl::memory::dims dims_of(const Desc& desc) { return desc.get_dims(); }

dnnl::convolution_forward::primitive_desc convolution_desc(const Desc& src, const Desc& filter, const Desc& bias, const Desc& dst,
                                                           const Window& window, const Attr& attr) {
    return {engine(),
            inference,
            dnnl::algorithm::convolution_auto,
            src,
            filter,
            bias,
            dst,
            to_dnnl(window.stride),
            skipped(window.dilation),
            to_dnnl(window.before),
            to_dnnl(window.after),
            attr};
}

dnnl::pooling_forward::primitive_desc pooling_desc(dnnl::algorithm algorithm, const Desc& src, const Desc& dst, const Window& window,
                                                   const Attr& attr) {
    return {engine(),
            inference,
            algorithm,
            src,
            dst,
            to_dnnl(window.stride),
            to_dnnl(window.kernel),
            dnnl::memory::dims(window.rank(), 0),
            to_dnnl(window.before),
            to_dnnl(window.after),
            attr};
}

dnnl::matmul::primitive_desc matmul_desc(const Desc& src, const Desc& weights, const Desc* bias, const Desc& dst, const Attr& attr) {
    if (bias) return {engine(), src, weights, *bias, dst, attr};
    return {engine(), src, weights, dst, attr};
}

dnnl::softmax_forward::primitive_desc softmax_desc(const Desc& desc, int axis, const Attr& attr) {
    return {engine(), inference, dnnl::algorithm::softmax_accurate, desc, desc, axis, attr};
}

dnnl::layer_normalization_forward::primitive_desc layer_norm_desc(const Desc& desc, float epsilon, const Attr& attr) {
    using Flags = dnnl::normalization_flags;
    return {engine(), inference, desc, desc, epsilon, Flags::use_scale | Flags::use_shift, attr};
}

namespace {

// HardSwish is x clip(alpha x + beta, 0, 1) here; its numbers are the standard's.
Eltwise told(Eltwise eltwise) {
    if (eltwise.kind == EltwiseKind::hardswish) eltwise.alpha = 1.0f / 6, eltwise.beta = 0.5f;
    return eltwise;
}

}  // namespace

dnnl::eltwise_forward::primitive_desc eltwise_desc(const Eltwise& eltwise, const Desc& desc, const Attr& attr) {
    const auto [kind, alpha, beta] = told(eltwise);
    return {engine(), inference, algorithm_of(kind), desc, desc, alpha, beta, attr};
}

dnnl::binary::primitive_desc binary_desc(dnnl::algorithm algorithm, const Desc& desc, const Attr& attr) {
    return {engine(), algorithm, desc, desc, desc, attr};
}

void append_eltwise(dnnl::post_ops& ops, const Eltwise& eltwise) {
    const auto [kind, alpha, beta] = told(eltwise);
    ops.append_eltwise(algorithm_of(kind), alpha, beta);
}

namespace {

std::optional<Blocked> numbers_of(const Desc& desc) {
    if (desc.get_format_kind() != dnnl::memory::format_kind::blocked || desc.get_data_type() != f32 || desc.get_submemory_offset() != 0)
        return std::nullopt;
    return Blocked{desc.get_dims(), desc.get_padded_dims(), desc.get_strides(), desc.get_inner_blks(), desc.get_inner_idxs()};
}

// Do both say where the same elements lie? The stride of a dim of one block says nothing.
bool is_same(const Blocked& a, const Blocked& b) {
    if (a.dims != b.dims || a.padded != b.padded || a.blocks != b.blocks || a.block_dims != b.block_dims) return false;
    Dims length(a.dims.size(), 1);
    for (size_t i = 0; i < a.blocks.size(); ++i) length[static_cast<size_t>(a.block_dims[i])] *= a.blocks[i];
    for (size_t i = 0; i < a.dims.size(); ++i)
        if (a.padded[i] != length[i] && a.strides[i] != b.strides[i]) return false;
    return true;
}

Desc tagged(const Dims& dims, int tag) { return {to_dnnl(dims), f32, static_cast<dnnl::memory::format_tag>(tag), true}; }

// Tags by rank and inner blocks: the layouts that have names are the only ones with blocks that can be asked for.
using Tags = std::map<std::pair<Dims, Dims>, std::vector<int>>;
const Tags& tags_of(size_t rank) {
    static const std::vector<Tags> all = [] {
        std::vector<Tags> ranks(DNNL_MAX_NDIMS + 1);
        for (size_t n = 1; n < ranks.size(); ++n)
            for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag) {
                const Desc desc = tagged(Dims(n, 1), tag);
                const auto numbers = desc.get(true) ? numbers_of(desc) : std::nullopt;
                if (numbers) ranks[n][{numbers->blocks, numbers->block_dims}].push_back(tag);
            }
        return ranks;
    }();
    return all.at(rank);
}

}  // namespace

std::optional<Desc> desc_of(const Blocked& blocked) {
    if (blocked.blocks.empty()) return Desc(to_dnnl(blocked.dims), f32, to_dnnl(blocked.strides));
    const Tags& tags = tags_of(blocked.dims.size());
    const auto found = tags.find({blocked.blocks, blocked.block_dims});
    if (found == tags.end()) return std::nullopt;
    for (const int tag : found->second) {
        const Desc desc = tagged(blocked.dims, tag);
        const auto numbers = desc.get(true) ? numbers_of(desc) : std::nullopt;
        if (numbers && is_same(*numbers, blocked)) return desc;
    }
    return std::nullopt;
}

// What cannot be asked for by its numbers, as it has more than those, is not one.
std::optional<Blocked> blocked_of(const Desc& desc) {
    auto numbers = numbers_of(desc);
    if (numbers && desc_of(*numbers) != desc) return std::nullopt;
    return numbers;
}

}  // namespace quern::onednn
