// MaxPool of codes of 8 or 16 bits whose encoding stays, and GlobalAveragePool by profile onnx.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/base/wide.h"
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/kernels/pool_site.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {
namespace {

constexpr int64_t min_codes = 1 << 15;  // that are worth a task

QUERN_WIDE void take_greater(const uint8_t* x, uint8_t* best, int64_t count) {
    for (int64_t i = 0; i < count; ++i) best[i] = x[i] > best[i] ? x[i] : best[i];
}

QUERN_WIDE void take_greater(const uint16_t* x, uint16_t* best, int64_t count) {
    for (int64_t i = 0; i < count; ++i) best[i] = x[i] > best[i] ? x[i] : best[i];
}

QUERN_WIDE void add(const uint8_t* x, int32_t* sums, int64_t count) {
    for (int64_t i = 0; i < count; ++i) sums[i] += x[i];
}

template <class Code>
void clip(Code* y, int64_t count, int32_t low, int32_t high) {
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<Code>(std::clamp<int32_t>(y[i], low, high));
}

template <class Code>
class MaxPoolKernel : public Kernel {
   public:
    explicit MaxPoolKernel(const Site& site) : pool_(site), storage_(site.result->storage) {
        low_ = static_cast<int32_t>(site.result->qmin) + bias_of(storage_);
        high_ = static_cast<int32_t>(site.result->qmax) + bias_of(storage_);
    }
    std::string name() const override { return "codes max pool"; }

    void run(KernelCtx& ctx) override {
        const auto x = coded_in<Code>(ctx, 0, !pool_.last);
        const auto at = pool_.place(x.dims);
        const Geometry g = geometry_of(at->x, at->out, at->window);
        const Buffer out = take_codes(ctx, at->out, storage_);
        auto* y = reinterpret_cast<Code*>(out.data.get());
        const int64_t channels = at->x[1], work = std::max<int64_t>(channels * g.taps(), 1);
        ctx.pool().run_ranges(static_cast<size_t>(g.places()), static_cast<size_t>(min_codes / work + 1), [&](size_t first, size_t last) {
            pool_results(g, channels, static_cast<int64_t>(first), static_cast<int64_t>(last), x.data, y);
        });
        give_coded<Code>(ctx, at->result, storage_, !pool_.last, out);
    }

   private:
    void pool_results(const Geometry& g, int64_t channels, int64_t first, int64_t last, const Code* x, Code* y) const {
        const Walk walk(g);
        const int64_t image = g.in[0] * g.in[1] * g.in[2] * channels;
        walk.results(first, last, [&](int64_t r, int64_t batch, const Space& place) {
            Code* best = y + r * channels;
            std::fill_n(best, channels, Code{0});
            walk.taps(place, [&](int64_t, int64_t tap) {
                if (tap >= 0) take_greater(x + batch * image + tap * channels, best, channels);
            });
            if (low_ > 0 || high_ < std::numeric_limits<Code>::max()) clip(best, channels, low_, high_);
        });
    }

    PoolSite pool_;
    DType storage_;
    int32_t low_, high_;
};

// onnxruntime's: the sum of the codes minus their zero point, by one factor.
class MeanKernel : public Kernel {
   public:
    explicit MeanKernel(const Site& site) : pool_(site), x_(encoding_at(site, 0)), out_(*site.result) {}
    std::string name() const override { return "codes mean"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, !pool_.last);
        const auto at = pool_.place(x.dims);
        const int64_t channels = at->x[1], pixels = count_of(space_of(at->x));
        if (pixels == 0) throw bad_input("input 0 is {}, which has no pixels", to_string(x.dims));
        if (pixels > INT32_MAX / 255) throw bad_input("the sum of {} codes does not fit int32", pixels);
        const float factor = to_floats(x_.scale)[0] / (to_floats(out_.scale)[0] * static_cast<float>(pixels));
        if (!std::isfinite(factor)) throw bad_input("the scale of the mean is not finite");
        const auto zero = static_cast<int32_t>(x_.zero_at()) + bias_of(x_.storage);
        const std::vector<int32_t> bias(static_cast<size_t>(channels + block_columns), static_cast<int32_t>(-zero * pixels));
        FinishParameters parameters({.floats = std::vector<float>(static_cast<size_t>(channels), factor)}, out_,
                                    static_cast<size_t>(channels));
        parameters.bias = bias.data();
        const Buffer out = ctx.memory().take(static_cast<size_t>(at->x[0] * channels));
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        std::vector<int32_t> sums(bias.size());
        for (int64_t n = 0; n < at->x[0]; ++n) {
            std::fill(sums.begin(), sums.end(), 0);
            for (int64_t p = 0; p < pixels; ++p) add(x.data + (n * pixels + p) * channels, sums.data(), channels);
            for (int64_t c = 0; c < channels; c += block_columns)
                finish().run(parameters, {sums.data() + c, c, 1, static_cast<int>(std::min<int64_t>(block_columns, channels - c)),
                                          y + n * channels + c, channels});
        }
        give_codes(ctx, at->result, out_.storage, !pool_.last, out);
    }

   private:
    PoolSite pool_;
    Encoding x_, out_;
};

std::string_view max_obstacle(const Site& site) {
    if (const auto common = pool_obstacle(site); !common.empty()) return common;
    const auto& x = site.value(site.first().in[0]).enc;
    if (site.arithmetic || code_bits(x) == 0 || !(x == site.result)) return "its codes have other encodings than its result";
    if (!std::isfinite(to_floats(site.result->scale)[0] * 65535)) return "its scale is too large";
    const NodeView view(site.first());
    const auto pads = view.integers("pads"), kernel = view.integers("kernel_shape");
    for (size_t i = 0; i < pads.size(); ++i)
        if (kernel.empty() || pads[i] >= kernel[i % kernel.size()]) return "has windows beside the data";
    return "";
}

std::unique_ptr<Kernel> make_max(const Site& site, std::string& refusal) {
    refusal = max_obstacle(site);
    if (!refusal.empty()) return nullptr;
    if (is_byte_codes(site.result)) return std::make_unique<MaxPoolKernel<uint8_t>>(site);
    return std::make_unique<MaxPoolKernel<uint16_t>>(site);
}

std::unique_ptr<Kernel> make_mean(const Site& site, std::string& refusal) {
    refusal = pool_obstacle(site);
    if (refusal.empty() && !(computes_as_onnx(site) && has_8_bits(site))) refusal = "has other arithmetic than profile onnx";
    return refusal.empty() ? std::make_unique<MeanKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::MaxPool, .make = make_max},
                          KernelRow{.name = "codes", .op = ops::GlobalMaxPool, .make = make_max},
                          KernelRow{.name = "codes", .op = ops::GlobalAveragePool, .make = make_mean}};

}  // namespace

std::span<const KernelRow> pool_rows() { return rows; }

}  // namespace quern::codes
