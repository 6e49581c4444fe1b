// Values whose channels lie last, in memory of [N, spatial..., C], where the graph has them as [N, C, spatial...]: what the direct kernels
// and oneDNN hand each other.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern {

class ChannelsLast : public Packed {
   public:
    // `dims` as the graph has them, of rank 3 and more.
    ChannelsLast(Dims dims, Buffer buffer) : dims_(std::move(dims)), buffer_(std::move(buffer)) {}
    Tensor plain(Memory& memory, ThreadPool& pool) const override;
    const Dims& dims() const override { return dims_; }
    Tensor elements(Memory&) const override { return {DType::f32, dims_, buffer_.freeze()}; }
    Buffer channels_last(Memory&, ThreadPool&) const override { return buffer_; }
    const Buffer& buffer() const { return buffer_; }

   private:
    Dims dims_;
    Buffer buffer_;
};

// Input i with its channels last, moved if it lies otherwise. `last`: a row-major tensor has them there.
struct LastSource {
    Dims dims;  // as the graph has them
    std::shared_ptr<const void> owner;
    const float* data;
};
LastSource channels_last_source(KernelCtx& ctx, size_t i, bool last);

// Gives [N, spatial..., C] as output of the graph's dims `dims`: row-major if that is the same (`last`, or one place or channel), else
// packed.
void give_channels_last(KernelCtx& ctx, Dims dims, bool last, Buffer buffer);

// The memory of packed input i, if its channels lie last and nobody needs it after this step: the output may overwrite it.
std::optional<Buffer> dying_channels_last(KernelCtx& ctx, size_t i);

}  // namespace quern
