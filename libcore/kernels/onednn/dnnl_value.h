// Values in oneDNN's memory formats, and what every kernel of this library shares.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <unordered_map>

#include "libcore/base/error.h"
#include "libcore/kernels/kernel.h"
#include "libcore/kernels/onednn/interface.h"
#include "libcore/kernels/onednn/regions.h"

namespace quern::onednn {

dnnl::engine& engine();
dnnl::stream& stream();  // of this thread
dnnl::memory::dims to_dnnl(std::span<const int64_t> dims);
dnnl::memory::dims skipped(std::span<const int64_t> dilation);  // as oneDNN counts it: 0 of a dense window
dnnl::memory::desc plain_desc(std::span<const int64_t> dims);
dnnl::memory::desc any_desc(std::span<const int64_t> dims);  // for a primitive to choose
// The same memory with its dims in another order: from [N, spatial..., C] to [N, C, spatial...], and back.
dnnl::memory::desc channels_first_desc(const dnnl::memory::desc& desc);
dnnl::memory::desc channels_last_desc(const dnnl::memory::desc& desc);
dnnl::memory::desc last_desc(const Dims& dims);  // [N, C, spatial...] in memory of [N, spatial..., C]
bool is_plain(const dnnl::memory::desc& desc, std::span<const int64_t> dims);

class DnnlValue : public Packed {
   public:
    DnnlValue(Dims dims, const dnnl::memory::desc& desc, Buffer buffer) : dims_(std::move(dims)), desc_(desc), buffer_(std::move(buffer)) {}
    Tensor plain(Memory& memory, ThreadPool& pool) const override;
    const Dims& dims() const override { return dims_; }
    Tensor elements(Memory& memory) const override;
    Buffer channels_last(Memory& memory, ThreadPool& pool) const override;
    const dnnl::memory::desc& desc() const { return desc_; }
    const Buffer& buffer() const { return buffer_; }

   private:
    dnnl::memory memory() const { return {desc_, engine(), buffer_.data.get()}; }
    Buffer reordered(const dnnl::memory::desc& want, Memory& memory, ThreadPool& pool) const;

    Dims dims_;
    dnnl::memory::desc desc_;
    Buffer buffer_;
};

// Input i as it lies: its memory, with the owner that keeps it alive.
struct Source {
    Dims dims;
    dnnl::memory memory;
    std::shared_ptr<const void> owner;
};
Source source(KernelCtx& ctx, size_t i);
// The same in `want`: reordered into a buffer of the pool if it lies otherwise.
Source source_as(KernelCtx& ctx, size_t i, const dnnl::memory::desc& want);

Buffer take(KernelCtx& ctx, const dnnl::memory::desc& desc);
// The memory of packed input i, if it lies as `desc` and nobody needs it after this step: the output may overwrite it.
std::optional<Buffer> dying_buffer(KernelCtx& ctx, size_t i, const dnnl::memory::desc& desc);
// Gives `buffer` as output: a tensor if `desc` is row-major, else packed, in a form of its own if its channels lie last.
void give(KernelCtx& ctx, Dims dims, const dnnl::memory::desc& desc, Buffer buffer);

// Runs a primitive.
using Args = std::unordered_map<int, dnnl::memory>;
void execute(const dnnl::primitive& primitive, const Args& args);
// With scratch memory from the pool, on its threads, or `alone` on the calling one.
void execute(KernelCtx& ctx, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Args args, bool alone = false);

dnnl::primitive_attr user_scratchpad();

}  // namespace quern::onednn
