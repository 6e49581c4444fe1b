#include "libcore/kernels/codes/packed_codes.h"

#include <algorithm>

#include "libcore/kernels/channel_order.h"
#include "libcore/kernels/codes/finish.h"

namespace quern::codes {
namespace {

constexpr int64_t piece = 1 << 14;  // bytes that are worth a task

// A byte with its highest bit turned if `turn` is 0x80.
struct Turned {
    uint8_t turn;
    uint8_t operator()(uint8_t byte) const { return byte ^ turn; }
};

Buffer all_turned(const uint8_t* from, size_t count, Turned turned, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count);
    auto* to = reinterpret_cast<uint8_t*>(out.data.get());
    pool.run_ranges(count, piece, [&](size_t begin, size_t end) { std::transform(from + begin, from + end, to + begin, turned); });
    return out;
}

Turned turned_of(DType storage) { return {static_cast<uint8_t>(bias_of(storage))}; }

const uint8_t* bytes_of(const Buffer& buffer) { return reinterpret_cast<const uint8_t*>(buffer.data.get()); }

}  // namespace

Tensor PackedCodes::plain(Memory& memory, ThreadPool& pool) const {
    const Turned turned = turned_of(storage_);
    if (moved_ && !lies_alike(dims_))
        return {storage_, dims_, transposed(bytes_of(buffer_), dims_[0], places_of(dims_), dims_[1], turned, memory, pool).freeze()};
    if (turned.turn == 0) return {storage_, dims_, buffer_.freeze()};
    return {storage_, dims_, all_turned(bytes_of(buffer_), static_cast<size_t>(count_of(dims_)), turned, memory, pool).freeze()};
}

Buffer PackedCodes::channels_last(Memory&, ThreadPool&) const { throw bug("codes are asked for as numbers"); }

CodesIn codes_in(KernelCtx& ctx, size_t i, bool moved) {
    const auto packed = std::dynamic_pointer_cast<const PackedCodes>(ctx.packed(i));
    if (packed && (packed->moved() == moved || lies_alike(packed->dims()))) return {packed->dims(), packed, bytes_of(packed->buffer())};
    const Tensor& tensor = *ctx.in(i);
    const auto* data = reinterpret_cast<const uint8_t*>(tensor.data.data());
    const Turned turned = turned_of(tensor.dtype);
    if (moved && !lies_alike(tensor.dims)) {
        const Buffer buffer = transposed(data, tensor.dims[0], tensor.dims[1], places_of(tensor.dims), turned, ctx.memory(), ctx.pool());
        return {tensor.dims, buffer.data, bytes_of(buffer)};
    }
    if (turned.turn == 0) return {tensor.dims, std::make_shared<const Tensor>(tensor), data};
    const Buffer buffer = all_turned(data, tensor.data.size(), turned, ctx.memory(), ctx.pool());
    return {tensor.dims, buffer.data, bytes_of(buffer)};
}

void give_codes(KernelCtx& ctx, Dims dims, DType storage, bool moved, Buffer buffer) {
    if (turned_of(storage).turn == 0 && (!moved || lies_alike(dims)))
        ctx.give_codes(Tensor{storage, std::move(dims), buffer.freeze()});
    else
        ctx.give(std::make_shared<const PackedCodes>(std::move(dims), storage, moved, std::move(buffer)));
}

}  // namespace quern::codes
