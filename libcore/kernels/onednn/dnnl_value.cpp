#include "libcore/kernels/onednn/dnnl_value.h"

#include "libcore/kernels/channels_last.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::onednn {

dnnl::engine& engine() {
    static dnnl::engine one(dnnl::engine::kind::cpu, 0);
    return one;
}

dnnl::stream& stream() {
    thread_local dnnl::stream one(engine());
    return one;
}

dnnl::memory::dims to_dnnl(std::span<const int64_t> dims) { return {dims.begin(), dims.end()}; }

dnnl::memory::dims skipped(std::span<const int64_t> dilation) {
    dnnl::memory::dims out = to_dnnl(dilation);
    for (auto& step : out) --step;
    return out;
}

dnnl::memory::desc plain_desc(std::span<const int64_t> dims) {
    dnnl::memory::dims sizes = to_dnnl(dims);
    if (sizes.empty()) sizes = {1};
    if (sizes.size() > DNNL_MAX_NDIMS) sizes = {count_of(dims)};  // elementwise it is the same
    dnnl::memory::dims strides(sizes.size());
    int64_t step = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<int64_t>(sizes[i], 1);
    }
    return {sizes, dnnl::memory::data_type::f32, strides};
}

dnnl::memory::desc any_desc(std::span<const int64_t> dims) {
    return {to_dnnl(dims), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

// Axis i of the one is axis order[i] of the other.
dnnl::memory::desc channels_first_desc(const dnnl::memory::desc& desc) {
    std::vector<int> order(dims_of(desc).size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i == 0 ? 0 : i + 1 < order.size() ? i + 1 : 1);
    return desc.permute_axes(order);
}

dnnl::memory::desc channels_last_desc(const dnnl::memory::desc& desc) {
    std::vector<int> order(dims_of(desc).size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i == 0 ? 0 : i == 1 ? order.size() - 1 : i - 1);
    return desc.permute_axes(order);
}

dnnl::memory::desc last_desc(const Dims& dims) { return channels_first_desc(plain_desc(to_channels_last(dims))); }

bool is_plain(const dnnl::memory::desc& desc, std::span<const int64_t> dims) { return desc == plain_desc(dims); }

Buffer DnnlValue::reordered(const dnnl::memory::desc& want, Memory& memory, ThreadPool& pool) const {
    const Threads threads(pool);
    Buffer out = memory.take(want.get_size());
    dnnl::memory from = this->memory(), to(want, engine(), out.data.get());
    dnnl::reorder(from, to).execute(stream(), from, to);
    stream().wait();
    return out;
}

Tensor DnnlValue::plain(Memory& memory, ThreadPool& pool) const {
    return {DType::f32, dims_, reordered(plain_desc(dims_), memory, pool).freeze()};
}

Buffer DnnlValue::channels_last(Memory& memory, ThreadPool& pool) const { return reordered(last_desc(dims_), memory, pool); }

namespace {

// Elements of a layout whose channels come in blocks, the last of them padded: [N][blocks][spatial][channels of a block].
struct Blocks {
    size_t batches, whole, rows, width, rest;  // `whole` floats of full blocks, then `rows` of `width` floats, `rest` of them used
};

std::optional<Blocks> blocks_of(const dnnl::memory::desc& desc, const Dims& dims) {
    const auto blocked = blocked_of(desc);
    if (!blocked || dims.size() < 3 || blocked->block_dims != Dims{1}) return std::nullopt;
    const auto width = static_cast<size_t>(blocked->blocks[0]);
    const size_t channels = static_cast<size_t>(dims[1]), batches = static_cast<size_t>(dims[0]);
    const size_t rows = static_cast<size_t>(count_of(dims)) / std::max<size_t>(channels * batches, 1);
    const size_t padded = (channels + width - 1) / width * width;
    const bool dense =
        static_cast<size_t>(blocked->strides[0]) == padded * rows && static_cast<size_t>(blocked->strides[1]) == width * rows;
    if (!dense || desc.get_size() != batches * padded * rows * sizeof(float)) return std::nullopt;
    return Blocks{batches, channels / width * width * rows, rows, width, channels % width};
}

}  // namespace

Tensor DnnlValue::elements(Memory& memory) const {
    const auto count = static_cast<size_t>(count_of(dims_));
    if (desc_.get_size() == count * sizeof(float)) return {DType::f32, dims_, buffer_.freeze()};
    const auto blocks = blocks_of(desc_, dims_);
    if (!blocks) return {};
    const Buffer out = memory.take(count * sizeof(float));
    const auto* from = reinterpret_cast<const float*>(buffer_.data.get());
    auto* to = reinterpret_cast<float*>(out.data.get());
    for (size_t n = 0; n < blocks->batches; ++n) {
        to = std::copy_n(from, blocks->whole, to);
        from += blocks->whole;
        for (size_t row = 0; row < blocks->rows; ++row, from += blocks->width) to = std::copy_n(from, blocks->rest, to);
    }
    return {DType::f32, dims_, out.freeze()};
}

namespace {

// Memory of a packed value, and how it lies.
struct LaidBuffer {
    dnnl::memory::desc desc;
    Buffer buffer;
};
std::optional<LaidBuffer> laid_of(const Packed& packed) {
    if (const auto* own = dynamic_cast<const DnnlValue*>(&packed)) return LaidBuffer{own->desc(), own->buffer()};
    if (const auto* last = dynamic_cast<const ChannelsLast*>(&packed)) return LaidBuffer{last_desc(last->dims()), last->buffer()};
    return std::nullopt;
}

}  // namespace

Source source(KernelCtx& ctx, size_t i) {
    if (const auto packed = ctx.packed(i))
        if (const auto laid = laid_of(*packed)) return {packed->dims(), {laid->desc, engine(), laid->buffer.data.get()}, packed};
    const Tensor& tensor = *ctx.in(i);
    auto held = std::make_shared<const Tensor>(tensor);
    return {tensor.dims, {plain_desc(tensor.dims), engine(), const_cast<std::byte*>(tensor.data.data())}, held};
}

Source source_as(KernelCtx& ctx, size_t i, const dnnl::memory::desc& want) {
    Source from = source(ctx, i);
    if (from.memory.get_desc() == want) return from;
    Buffer buffer = ctx.memory().take(want.get_size());
    dnnl::memory to(want, engine(), buffer.data.get());
    dnnl::reorder(from.memory, to).execute(stream(), from.memory, to);
    return {from.dims, to, buffer.data};
}

Buffer take(KernelCtx& ctx, const dnnl::memory::desc& desc) { return ctx.memory().take(desc.get_size()); }

std::optional<Buffer> dying_buffer(KernelCtx& ctx, size_t i, const dnnl::memory::desc& desc) {
    if (!ctx.dies(i)) return std::nullopt;
    const auto packed = ctx.packed(i);
    const auto laid = packed ? laid_of(*packed) : std::nullopt;
    // Held by the frame and by us; its memory by the value and by `laid`.
    if (!laid || laid->desc != desc || packed.use_count() > 2 || laid->buffer.data.use_count() != 2) return std::nullopt;
    return laid->buffer;
}

void give(KernelCtx& ctx, Dims dims, const dnnl::memory::desc& desc, Buffer buffer) {
    if (is_plain(desc, dims))
        ctx.give(Tensor{DType::f32, std::move(dims), buffer.freeze()});
    else if (dims.size() > 2 && desc == last_desc(dims))
        ctx.give(std::make_shared<const ChannelsLast>(std::move(dims), std::move(buffer)));
    else
        ctx.give(std::make_shared<const DnnlValue>(std::move(dims), desc, std::move(buffer)));
}

void execute(const dnnl::primitive& primitive, const Args& args) {
    try {
        primitive.execute(stream(), args);
        stream().wait();
    } catch (const dnnl::error& error) {
        throw unsupported("oneDNN: {}", error.what());
    }
}

void execute(KernelCtx& ctx, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Args args, bool alone) {
    const Threads threads = alone ? Threads() : Threads(ctx.pool());
    Buffer scratch;
    if (scratchpad.get_size() > 0) {
        scratch = take(ctx, scratchpad);
        args.emplace(DNNL_ARG_SCRATCHPAD, dnnl::memory(scratchpad, engine(), scratch.data.get()));
    }
    execute(primitive, args);
}

dnnl::primitive_attr user_scratchpad() {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
}

}  // namespace quern::onednn
