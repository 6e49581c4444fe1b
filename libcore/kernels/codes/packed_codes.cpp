#include "libcore/kernels/codes/packed_codes.h"

#include <algorithm>
#include <functional>

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

// Of 16 bits: low bytes, then high bytes, as one number each.
Buffer joined(const uint8_t* from, size_t count, uint16_t turn, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count * sizeof(uint16_t));
    auto* to = reinterpret_cast<uint16_t*>(out.data.get());
    pool.run_ranges(count, piece, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to[i] = static_cast<uint16_t>((from[i] | from[count + i] << 8) ^ turn);
    });
    return out;
}

Buffer parted(const uint16_t* from, size_t count, uint16_t turn, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count * sizeof(uint16_t));
    auto* to = reinterpret_cast<uint8_t*>(out.data.get());
    pool.run_ranges(count, piece, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            const auto code = static_cast<uint16_t>(from[i] ^ turn);
            to[i] = static_cast<uint8_t>(code);
            to[count + i] = static_cast<uint8_t>(code >> 8);
        }
    });
    return out;
}

Buffer all_turned(const uint8_t* from, size_t count, Turned turned, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count);
    auto* to = reinterpret_cast<uint8_t*>(out.data.get());
    pool.run_ranges(count, piece, [&](size_t begin, size_t end) { std::transform(from + begin, from + end, to + begin, turned); });
    return out;
}

Turned turned_of(DType storage) { return {static_cast<uint8_t>(bias_of(storage))}; }

const uint8_t* bytes_of(const Buffer& buffer) { return reinterpret_cast<const uint8_t*>(buffer.data.get()); }

// Codes of 16 bits.
Tensor plain_words(const PackedCodes& codes, DType storage, Memory& memory, ThreadPool& pool) {
    const Dims& dims = codes.dims();
    const auto turn = static_cast<uint16_t>(bias_of(storage));
    Buffer all = joined(bytes_of(codes.buffer()), static_cast<size_t>(count_of(dims)), turn, memory, pool);
    if (codes.moved() && !lies_alike(dims)) {
        const auto* from = reinterpret_cast<const uint16_t*>(all.data.get());
        all = transposed(from, dims[0], places_of(dims), dims[1], std::identity(), memory, pool);
    }
    return {storage, dims, all.freeze()};
}

const uint16_t* numbers_of(const Buffer& buffer) { return reinterpret_cast<const uint16_t*>(buffer.data.get()); }

// With their channels last if they are to be `moved`, each with `turn` turned.
WordsIn lying_words(const Tensor& tensor, bool moved, uint16_t turn, Memory& memory, ThreadPool& pool) {
    const auto* from = reinterpret_cast<const uint16_t*>(tensor.data.data());
    const auto turned = [turn](uint16_t word) { return static_cast<uint16_t>(word ^ turn); };
    const bool moves = moved && !lies_alike(tensor.dims);
    if (!moves && turn == 0) return {tensor.dims, std::make_shared<const Tensor>(tensor), from};
    Buffer own;
    if (moves) {
        own = transposed(from, tensor.dims[0], tensor.dims[1], places_of(tensor.dims), turned, memory, pool);
    } else {
        own = memory.take(tensor.data.size());
        auto* to = reinterpret_cast<uint16_t*>(own.data.get());
        pool.run_ranges(static_cast<size_t>(tensor.count()), piece,
                        [&](size_t begin, size_t end) { std::transform(from + begin, from + end, to + begin, turned); });
    }
    return {tensor.dims, own.data, numbers_of(own)};
}

CodesIn parts_in(const Tensor& tensor, bool moved, Memory& memory, ThreadPool& pool) {
    const WordsIn words = lying_words(tensor, moved, 0, memory, pool);
    const Buffer buffer =
        parted(words.data, static_cast<size_t>(tensor.count()), static_cast<uint16_t>(bias_of(tensor.dtype)), memory, pool);
    return {tensor.dims, buffer.data, bytes_of(buffer)};
}

}  // namespace

Tensor PackedCodes::plain(Memory& memory, ThreadPool& pool) const {
    if (bits_of(storage_) > 8) return plain_words(*this, storage_, memory, pool);
    const Turned turned = turned_of(storage_);
    if (moved_ && !lies_alike(dims_))
        return {storage_, dims_, transposed(bytes_of(buffer_), dims_[0], places_of(dims_), dims_[1], turned, memory, pool).freeze()};
    if (turned.turn == 0) return {storage_, dims_, buffer_.freeze()};
    return {storage_, dims_, all_turned(bytes_of(buffer_), static_cast<size_t>(count_of(dims_)), turned, memory, pool).freeze()};
}

Buffer PackedCodes::channels_last(Memory&, ThreadPool&) const { throw bug("codes are asked for as numbers"); }

Dims dims_of(KernelCtx& ctx, size_t i) { return ctx.packed(i) ? ctx.packed(i)->dims() : ctx.in(i)->dims; }

bool is_moved(KernelCtx& ctx, size_t i) {
    const auto packed = std::dynamic_pointer_cast<const PackedCodes>(ctx.packed(i));
    return packed && packed->moved();
}

Buffer take_codes(KernelCtx& ctx, const Dims& dims, DType storage) {
    return ctx.memory().take(static_cast<size_t>(count_of(dims) * (bits_of(storage) / 8)));
}

CodesIn codes_in(KernelCtx& ctx, size_t i, bool moved) {
    const auto packed = std::dynamic_pointer_cast<const PackedCodes>(ctx.packed(i));
    if (packed && (packed->moved() == moved || lies_alike(packed->dims()))) return {packed->dims(), packed, bytes_of(packed->buffer())};
    const Tensor& tensor = *ctx.in(i);
    if (bits_of(tensor.dtype) > 8) return parts_in(tensor, moved, ctx.memory(), ctx.pool());
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

WordsIn words_in(KernelCtx& ctx, size_t i, bool moved) {
    const auto packed = std::dynamic_pointer_cast<const PackedCodes>(ctx.packed(i));
    if (packed && (packed->moved() == moved || lies_alike(packed->dims()))) {
        const Buffer words = joined(bytes_of(packed->buffer()), static_cast<size_t>(count_of(packed->dims())), 0, ctx.memory(), ctx.pool());
        return {packed->dims(), words.data, numbers_of(words)};
    }
    const Tensor& tensor = *ctx.in(i);
    return lying_words(tensor, moved, static_cast<uint16_t>(bias_of(tensor.dtype)), ctx.memory(), ctx.pool());
}

void give_words(KernelCtx& ctx, Dims dims, DType storage, bool moved, const Buffer& words) {
    const Buffer parts = parted(numbers_of(words), static_cast<size_t>(count_of(dims)), 0, ctx.memory(), ctx.pool());
    give_codes(ctx, std::move(dims), storage, moved, parts);
}

void give_codes(KernelCtx& ctx, Dims dims, DType storage, bool moved, Buffer buffer) {
    if (bits_of(storage) == 8 && turned_of(storage).turn == 0 && (!moved || lies_alike(dims)))
        ctx.give_codes(Tensor{storage, std::move(dims), buffer.freeze()});
    else
        ctx.give(std::make_shared<const PackedCodes>(std::move(dims), storage, moved, std::move(buffer)));
}

}  // namespace quern::codes
