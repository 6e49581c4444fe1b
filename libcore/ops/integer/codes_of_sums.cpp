#include "libcore/ops/integer/codes_of_sums.h"

#include <algorithm>
#include <array>

#include "libcore/base/wide.h"
#include "libcore/graph/code_loops.h"
#include "libcore/graph/quantize.h"
#include "libcore/integer/requantize.h"
#include "libcore/integer/rounding.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

constexpr size_t block = 1024;

template <class Sum>
[[gnu::always_inline]] inline void scale(const Sum* sums, size_t count, const float* factor, const int64_t* bias, size_t step,
                                         float* __restrict to) {
    using Bits = std::make_unsigned_t<Sum>;
    const auto at = [&](size_t i, int64_t added, float by) {
        to[i] = static_cast<float>(static_cast<Sum>(static_cast<Bits>(sums[i]) + static_cast<Bits>(added))) * by;
    };
    if (step == 0)
        for (size_t i = 0; i < count; ++i) at(i, bias ? *bias : 0, *factor);
    else if (bias)
        for (size_t i = 0; i < count; ++i) at(i, bias[i], factor[i]);
    else
        for (size_t i = 0; i < count; ++i) at(i, 0, factor[i]);
}

QUERN_WIDE void scale_all(const int32_t* sums, size_t count, const float* factor, const int64_t* bias, size_t step, float* to) {
    scale(sums, count, factor, bias, step, to);
}
QUERN_WIDE void scale_all(const int64_t* sums, size_t count, const float* factor, const int64_t* bias, size_t step, float* to) {
    scale(sums, count, factor, bias, step, to);
}

// Codes of a run of sums, stored as To.
template <class Sum, class To>
class Run {
   public:
    Run(const SumCodes& codes, const Encoding& out)
        : codes_(codes),
          grid_{0, 0, narrow(out.zero_at()), narrow(out.qmin), narrow(std::min<int64_t>(out.qmax, INT32_MAX)), 1},
          few_bits_(std::max({std::abs(out.zero_at()), std::abs(out.qmin), std::abs(out.qmax)}) <= 1 << 20),
          steps_(1.0f, out.zero_at(), out) {}

    void operator()(std::span<const Sum> sums, size_t channel, size_t step, To* to) const {
        const int64_t* bias = codes_.bias.empty() ? nullptr : codes_.bias.data() + channel;
        switch (codes_.by) {
            case SumCodes::By::floats: return by_floats(sums, channel, step, to);
            case SumCodes::By::doubles:
                return each(sums, bias, step, to, [grid = grid_, factor = codes_.doubles.data() + channel](int64_t sum, size_t i) {
                    return code_of_double(static_cast<double>(sum), factor[i], &grid);
                });
            case SumCodes::By::fixed:
                return each(sums, bias, step, to,
                            [grid = grid_, wide = codes_.wide, by = codes_.fixed.data() + channel](int64_t sum, size_t i) {
                                return wide ? code_of_wide_sum(sum, by[i].factor, by[i].shift, &grid)
                                            : code_of_sum(sum, by[i].factor, by[i].shift, &grid);
                            });
        }
    }

   private:
    template <class Fn>
    [[gnu::flatten]] void each(std::span<const Sum> sums, const int64_t* bias, size_t step, To* to, const Fn& fn) const {
        const int64_t none = 0;
        const bool wide = codes_.wide;
        const size_t bias_step = bias ? step : 0;
        if (!bias) bias = &none;
        for (size_t i = 0; i < sums.size(); ++i) {
            const int64_t sum = sums[i] + bias[i * bias_step];
            to[i] = static_cast<To>(fn(wide ? sum : narrow(sum), i * step));
        }
    }
    void by_floats(std::span<const Sum> sums, size_t channel, size_t step, To* to) const {
        std::array<float, block> steps;
        for (size_t first = 0; first < sums.size(); first += block) {
            const auto part = sums.subspan(first, std::min(block, sums.size() - first));
            const size_t at = channel + first * step;
            scale_sums(part, codes_.floats.data() + at, codes_.bias.empty() ? nullptr : codes_.bias.data() + at, step, steps.data());
            put(std::span<const float>(steps.data(), part.size()), to + first);
        }
    }
    void put(std::span<const float> steps, To* to) const {
        if constexpr (sizeof(To) <= sizeof(int16_t))
            if (few_bits_) return encode_run(steps.data(), steps.size(), steps_, to);
        for (size_t i = 0; i < steps.size(); ++i)
            to[i] = static_cast<To>(::quantize_one(steps[i], grid_.y_zero, grid_.y_low, grid_.y_high));
    }

    const SumCodes& codes_;
    requant_t grid_;
    bool few_bits_;
    RunGrid steps_;  // of numbers that are steps already
};

template <class To, class Sum>
void fill(const Encoding& out, std::span<const Sum> sums, const SumCodes& codes, const ChannelOrder& order, To* to) {
    const Run<Sum, To> run(codes, out);
    over_runs(sums.size(), order,
              [&](size_t first, size_t count, size_t channel, size_t step) { run(sums.subspan(first, count), channel, step, to + first); });
}

template <class Sum>
void give(EvalCtx& ctx, const Dims& dims, std::span<const Sum> sums, const SumCodes& codes, const ChannelOrder& order) {
    const Encoding& out = *ctx.out_encoding(0);
    switch (out.storage) {
        case DType::u8: return fill(out, sums, codes, order, ctx.out_as<uint8_t>(0, dims).data());
        case DType::i8: return fill(out, sums, codes, order, ctx.out_as<int8_t>(0, dims).data());
        case DType::u16: return fill(out, sums, codes, order, ctx.out_as<uint16_t>(0, dims).data());
        case DType::i16: return fill(out, sums, codes, order, ctx.out_as<int16_t>(0, dims).data());
        default: return fill(out, sums, codes, order, NumbersOut<int64_t>(ctx, 0, out.storage, dims).span().data());
    }
}

}  // namespace

ChannelOrder order_of(const Dims& dims, bool last) {
    if (last) return {static_cast<size_t>(dims.back()), 1};
    return {static_cast<size_t>(dims[1]), static_cast<size_t>(count_of(space_of(dims)))};
}

void scale_sums(std::span<const int32_t> sums, const float* factor, const int64_t* bias, size_t step, float* to) {
    scale_all(sums.data(), sums.size(), factor, bias, step, to);
}
void scale_sums(std::span<const int64_t> sums, const float* factor, const int64_t* bias, size_t step, float* to) {
    scale_all(sums.data(), sums.size(), factor, bias, step, to);
}

void give_codes_of_sums(EvalCtx& ctx, const Dims& dims, std::span<const int32_t> sums, const SumCodes& codes, const ChannelOrder& order) {
    give(ctx, dims, sums, codes, order);
}
void give_codes_of_sums(EvalCtx& ctx, const Dims& dims, std::span<const int64_t> sums, const SumCodes& codes, const ChannelOrder& order) {
    give(ctx, dims, sums, codes, order);
}

}  // namespace quern
