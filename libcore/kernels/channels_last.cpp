#include "libcore/kernels/channels_last.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace quern {
namespace {

constexpr int64_t edge = 16;  // of a square that is moved at a time: a cache line each way

// Columns [first, last) of a matrix [rows, columns] as rows of the transposed one.
void transpose(const float* from, float* to, int64_t rows, int64_t columns, int64_t first, int64_t last) {
    for (int64_t c = first; c < last; c += edge)
        for (int64_t r = 0; r < rows; r += edge) {
            const int64_t c_end = std::min(c + edge, last), r_end = std::min(r + edge, rows);
            for (int64_t k = c; k < c_end; ++k)
                for (int64_t i = r; i < r_end; ++i) to[k * rows + i] = from[i * columns + k];
        }
}

// `count` matrices [rows, columns], transposed.
Buffer transposed(const float* from, int64_t count, int64_t rows, int64_t columns, Memory& memory, ThreadPool& pool) {
    constexpr int64_t piece = 1 << 14;  // elements
    Buffer out = memory.take(static_cast<size_t>(count * rows * columns) * sizeof(float));
    auto* to = reinterpret_cast<float*>(out.data.get());
    const int64_t width = std::max<int64_t>(piece / std::max<int64_t>(rows, 1) / edge, 1) * edge, parts = (columns + width - 1) / width;
    pool.run(static_cast<size_t>(count * parts), [&](size_t i) {
        const int64_t matrix = static_cast<int64_t>(i) / parts, first = static_cast<int64_t>(i) % parts * width;
        const int64_t offset = matrix * rows * columns;
        transpose(from + offset, to + offset, rows, columns, first, std::min(first + width, columns));
    });
    return out;
}

int64_t places_of(const Dims& dims) { return count_of(std::span(dims).subspan(2)); }

}  // namespace

Tensor ChannelsLast::plain(Memory& memory, ThreadPool& pool) const {
    const auto* from = reinterpret_cast<const float*>(buffer_.data.get());
    return {DType::f32, dims_, transposed(from, dims_[0], places_of(dims_), dims_[1], memory, pool).freeze()};
}

LastSource channels_last_source(KernelCtx& ctx, size_t i, bool last) {
    if (const auto packed = last ? nullptr : ctx.packed(i)) {
        const Buffer buffer = packed->channels_last(ctx.memory(), ctx.pool());
        return {packed->dims(), buffer.data, reinterpret_cast<const float*>(buffer.data.get())};
    }
    const Tensor& tensor = *ctx.in(i);
    if (tensor.dims.size() < 3) throw bad_input("input {} is {}, need rank 3 or more", i, to_string(tensor.dims));
    const auto* data = reinterpret_cast<const float*>(tensor.data.data());
    if (last || tensor.dims[1] == 1 || places_of(tensor.dims) == 1) return {tensor.dims, std::make_shared<const Tensor>(tensor), data};
    const Buffer buffer = transposed(data, tensor.dims[0], tensor.dims[1], places_of(tensor.dims), ctx.memory(), ctx.pool());
    return {tensor.dims, buffer.data, reinterpret_cast<const float*>(buffer.data.get())};
}

void give_channels_last(KernelCtx& ctx, Dims dims, bool last, Buffer buffer) {
    if (last || dims[1] == 1 || places_of(dims) == 1)
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
