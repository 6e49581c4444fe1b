#include "libcore/kernels/channels_last.h"

#include <functional>

#include "libcore/base/error.h"
#include "libcore/kernels/channel_order.h"

namespace quern {

Tensor ChannelsLast::plain(Memory& memory, ThreadPool& pool) const {
    const auto* from = reinterpret_cast<const float*>(buffer_.data.get());
    return {DType::f32, dims_, transposed(from, dims_[0], places_of(dims_), dims_[1], std::identity(), memory, pool).freeze()};
}

LastSource channels_last_source(KernelCtx& ctx, size_t i, bool last) {
    if (const auto packed = last ? nullptr : ctx.packed(i)) {
        const Buffer buffer = packed->channels_last(ctx.memory(), ctx.pool());
        return {packed->dims(), buffer.data, reinterpret_cast<const float*>(buffer.data.get())};
    }
    const Tensor& tensor = *ctx.in(i);
    if (tensor.dims.size() < 3) throw bad_input("input {} is {}, need rank 3 or more", i, to_string(tensor.dims));
    const auto* data = reinterpret_cast<const float*>(tensor.data.data());
    if (last || lies_alike(tensor.dims)) return {tensor.dims, std::make_shared<const Tensor>(tensor), data};
    const Buffer buffer =
        transposed(data, tensor.dims[0], tensor.dims[1], places_of(tensor.dims), std::identity(), ctx.memory(), ctx.pool());
    return {tensor.dims, buffer.data, reinterpret_cast<const float*>(buffer.data.get())};
}

void give_channels_last(KernelCtx& ctx, Dims dims, bool last, Buffer buffer) {
    if (last || lies_alike(dims))
        ctx.give(Tensor{DType::f32, std::move(dims), buffer.freeze()});
    else
        ctx.give(std::make_shared<const ChannelsLast>(std::move(dims), std::move(buffer)));
}

std::optional<Buffer> dying_channels_last(KernelCtx& ctx, size_t i) {
    if (!ctx.dies(i)) return std::nullopt;
    const auto packed = std::dynamic_pointer_cast<const ChannelsLast>(ctx.packed(i));
    // Held by the frame and by us; its memory by nobody else.
    if (!packed || packed.use_count() > 2 || packed->buffer().data.use_count() != 1) return std::nullopt;
    return packed->buffer();
}

}  // namespace quern
