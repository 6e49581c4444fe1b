#include "libcore/kernels/onednn/post_ops.h"

#include <array>
#include <cstring>

namespace quern::onednn {

dnnl::algorithm algorithm_of(EltwiseKind kind) {
    using enum dnnl::algorithm;
    constexpr std::array algorithms{eltwise_relu,  eltwise_logistic, eltwise_tanh,      eltwise_elu,      eltwise_hardswish,
                                    eltwise_swish, eltwise_clip,     eltwise_gelu_tanh, eltwise_gelu_erf, eltwise_linear};
    return algorithms[static_cast<size_t>(kind)];
}

dnnl::post_ops post_ops_of(const Tail& tail) {
    dnnl::post_ops ops;
    for (const auto& step : tail.steps) step ? append_eltwise(ops, *step) : ops.append_sum();
    return ops;
}

Buffer residual_buffer(KernelCtx& ctx, size_t index, const dnnl::memory::desc& desc) {
    if (auto own = dying_buffer(ctx, index, desc)) return *own;
    Buffer buffer = take(ctx, desc);
    Source from = source(ctx, index);
    dnnl::memory to(desc, engine(), buffer.data.get());
    if (from.memory.get_desc() == desc)
        std::memcpy(buffer.data.get(), from.memory.get_data_handle(), desc.get_size());
    else
        dnnl::reorder(from.memory, to).execute(stream(), from.memory, to);
    return buffer;
}

}  // namespace quern::onednn
