// Sums of products to codes or real numbers, by the numbers of a profile's row.
#pragma once

#include <span>

#include "libcore/ops/integer/sum_codes.h"

namespace quern {

// Elements [outer, channels, inner].
struct ChannelOrder {
    size_t channels, inner;
};
ChannelOrder order_of(const Dims& dims, bool last);  // of spatial data, `last`: channels after the space

// fn(first element, elements, first channel, channels from element to element), for runs of one channel, or with `inner` 1 of all channels.
template <class Fn>
void over_runs(size_t count, const ChannelOrder& order, const Fn& fn) {
    const bool side_by_side = order.inner == 1 && order.channels > 1;
    const size_t run = side_by_side ? order.channels : order.channels == 1 ? count : order.inner;
    for (size_t first = 0, i = 0; first < count; first += run, ++i)
        side_by_side ? fn(first, run, size_t{0}, size_t{1}) : fn(first, run, i % order.channels, size_t{0});
}

// Output 0 in the codes of its encoding. `codes` has numbers for each channel; sums of 32 bits wrap as 32 do.
void give_codes_of_sums(EvalCtx& ctx, const Dims& dims, std::span<const int32_t> sums, const SumCodes& codes, const ChannelOrder& order);
void give_codes_of_sums(EvalCtx& ctx, const Dims& dims, std::span<const int64_t> sums, const SumCodes& codes, const ChannelOrder& order);

// to[i] = float(sums[i] + bias) * factor, of channel i * step; `bias` nullptr: none. Sums of 32 bits wrap.
void scale_sums(std::span<const int32_t> sums, const float* factor, const int64_t* bias, size_t step, float* to);
void scale_sums(std::span<const int64_t> sums, const float* factor, const int64_t* bias, size_t step, float* to);

}  // namespace quern
