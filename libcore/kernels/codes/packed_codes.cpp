#include "libcore/kernels/codes/packed_codes.h"

#include <algorithm>

#include "libcore/kernels/codes/finish.h"

namespace quern::codes {
namespace {

constexpr int64_t piece = 1 << 14;  // bytes that are worth a task

// `count` bytes, each with its highest bit turned if `turn` is 0x80.
void copy_turned(const uint8_t* from, uint8_t* to, size_t count, uint8_t turn) {
    for (size_t i = 0; i < count; ++i) to[i] = from[i] ^ turn;
}

// `count` matrices [rows, columns], transposed, each byte turned.
Buffer transposed(const uint8_t* from, int64_t count, int64_t rows, int64_t columns, uint8_t turn, Memory& memory, ThreadPool& pool) {
    constexpr int64_t edge = 16;
    Buffer out = memory.take(static_cast<size_t>(count * rows * columns));
    auto* to = reinterpret_cast<uint8_t*>(out.data.get());
    const int64_t width = std::max<int64_t>(piece / std::max<int64_t>(rows, 1) / edge, 1) * edge, parts = (columns + width - 1) / width;
    pool.run(static_cast<size_t>(count * parts), [&](size_t i) {
        const int64_t matrix = static_cast<int64_t>(i) / parts, first = static_cast<int64_t>(i) % parts * width;
        const int64_t last = std::min(first + width, columns);
        const uint8_t* a = from + matrix * rows * columns;
        uint8_t* b = to + matrix * rows * columns;
        for (int64_t c = first; c < last; c += edge)
            for (int64_t r = 0; r < rows; r += edge)
                for (int64_t k = c; k < std::min(c + edge, last); ++k)
                    for (int64_t j = r; j < std::min(r + edge, rows); ++j) b[k * rows + j] = a[j * columns + k] ^ turn;
    });
    return out;
}

Buffer turned(const uint8_t* from, size_t count, uint8_t turn, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count);
    auto* to = reinterpret_cast<uint8_t*>(out.data.get());
    pool.run_ranges(count, piece, [&](size_t begin, size_t end) { copy_turned(from + begin, to + begin, end - begin, turn); });
    return out;
}

uint8_t turn_of(DType storage) { return static_cast<uint8_t>(bias_of(storage)); }

int64_t places_of(const Dims& dims) { return dims.size() < 2 ? 1 : count_of(std::span(dims).subspan(2)); }

// Have the two orders of the channels the same bytes?
bool lies_alike(const Dims& dims) { return dims.size() < 3 || dims[1] == 1 || places_of(dims) == 1; }

const uint8_t* bytes_of(const Buffer& buffer) { return reinterpret_cast<const uint8_t*>(buffer.data.get()); }

}  // namespace

Tensor PackedCodes::plain(Memory& memory, ThreadPool& pool) const {
    const uint8_t turn = turn_of(storage_);
    if (moved_ && !lies_alike(dims_))
        return {storage_, dims_, transposed(bytes_of(buffer_), dims_[0], places_of(dims_), dims_[1], turn, memory, pool).freeze()};
    if (turn == 0) return {storage_, dims_, buffer_.freeze()};
    return {storage_, dims_, turned(bytes_of(buffer_), static_cast<size_t>(count_of(dims_)), turn, memory, pool).freeze()};
}

Buffer PackedCodes::channels_last(Memory&, ThreadPool&) const { throw bug("codes are asked for as numbers"); }

CodesIn codes_in(KernelCtx& ctx, size_t i, bool moved) {
    const auto packed = std::dynamic_pointer_cast<const PackedCodes>(ctx.packed(i));
    if (packed && (packed->moved() == moved || lies_alike(packed->dims()))) return {packed->dims(), packed, bytes_of(packed->buffer())};
    const Tensor& tensor = *ctx.in(i);
    const auto* data = reinterpret_cast<const uint8_t*>(tensor.data.data());
    const uint8_t turn = turn_of(tensor.dtype);
    if (moved && !lies_alike(tensor.dims)) {
        const Buffer buffer = transposed(data, tensor.dims[0], tensor.dims[1], places_of(tensor.dims), turn, ctx.memory(), ctx.pool());
        return {tensor.dims, buffer.data, bytes_of(buffer)};
    }
    if (turn == 0) return {tensor.dims, std::make_shared<const Tensor>(tensor), data};
    const Buffer buffer = turned(data, tensor.data.size(), turn, ctx.memory(), ctx.pool());
    return {tensor.dims, buffer.data, bytes_of(buffer)};
}

void give_codes(KernelCtx& ctx, Dims dims, DType storage, bool moved, Buffer buffer) {
    if (turn_of(storage) == 0 && (!moved || lies_alike(dims)))
        ctx.give_codes(Tensor{storage, std::move(dims), buffer.freeze()});
    else
        ctx.give(std::make_shared<const PackedCodes>(std::move(dims), storage, moved, std::move(buffer)));
}

}  // namespace quern::codes
