// AveragePool of 8-bit codes by onnxruntime's arithmetic (ops/microsoft/qpool.cpp) and by that of TensorFlow Lite
// (libcore/integer/average_codes.h).
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/wide.h"
#include "libcore/graph/code_loops.h"
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/kernels/pool_site.h"
#include "libcore/ops/integer/profile.h"

namespace quern::codes {
namespace {

constexpr int64_t least_codes = 1 << 15;  // that are worth a task

// Real numbers of the codes are summed in float32, in the order of the window.
QUERN_WIDE void add_real(const uint8_t* x, float* sums, int64_t count, int32_t zero, float scale) {
    for (int64_t i = 0; i < count; ++i) sums[i] += scale * static_cast<float>(x[i] - zero);
}
QUERN_WIDE void divide(float* sums, int64_t count, float by) {
    for (int64_t i = 0; i < count; ++i) sums[i] /= by;
}

// Codes themselves are summed.
QUERN_WIDE void add_codes(const uint8_t* x, int32_t* sums, int64_t count, int32_t bias) {
    for (int64_t i = 0; i < count; ++i) sums[i] += x[i] - bias;
}
// Whole quotients of numbers below 2^31 are exact in double.
QUERN_WIDE void mean_codes(const int32_t* sums, uint8_t* y, int64_t channels, int32_t count, int32_t low, int32_t high, int32_t bias) {
    const int32_t half = count / 2;
    const double all = count;
    for (int64_t i = 0; i < channels; ++i) {
        const int32_t sum = sums[i] > 0 ? sums[i] + half : sums[i] - half;
        const auto mean = static_cast<int32_t>(static_cast<double>(sum) / all);
        y[i] = static_cast<uint8_t>((mean < low ? low : mean > high ? high : mean) + bias);
    }
}

// Codes as unsigned bytes.
struct Limits {
    int32_t bias, low, high;
    explicit Limits(const Encoding& e) : bias(bias_of(e.storage)), low(static_cast<int32_t>(e.qmin)), high(static_cast<int32_t>(e.qmax)) {}
};

class RealMean {
   public:
    explicit RealMean(const Site& site)
        : scale_(to_floats(encoding_at(site, 0).scale)[0]),
          zero_(static_cast<int32_t>(encoding_at(site, 0).zero_at()) + bias_of(encoding_at(site, 0).storage)),
          grid_(to_floats(site.result->scale)[0], site.result->zero_at() + bias_of(site.result->storage), biased(*site.result)) {}
    static constexpr bool counts_padding = true;  // where the node says so

    void clear(int64_t channels) { sums_.assign(static_cast<size_t>(channels), 0.0f); }
    void add(const uint8_t* x) { add_real(x, sums_.data(), std::ssize(sums_), zero_, scale_); }
    void give(int64_t count, uint8_t* y) {
        if (count > 0) divide(sums_.data(), std::ssize(sums_), static_cast<float>(count));
        encode_run(sums_.data(), sums_.size(), grid_, y);
    }

   private:
    static Encoding biased(Encoding e) {
        const int64_t bias = bias_of(e.storage);
        e.qmin += bias;
        e.qmax += bias;
        return e;
    }
    float scale_;
    int32_t zero_;
    RunGrid grid_;
    std::vector<float> sums_;
};

class CodeMean {
   public:
    explicit CodeMean(const Site& site) : limits_(*site.result) {}
    static constexpr bool counts_padding = false;

    void clear(int64_t channels) { sums_.assign(static_cast<size_t>(channels), 0); }
    void add(const uint8_t* x) { add_codes(x, sums_.data(), std::ssize(sums_), limits_.bias); }
    void give(int64_t count, uint8_t* y) {
        mean_codes(sums_.data(), y, std::ssize(sums_), static_cast<int32_t>(std::max<int64_t>(count, 1)), limits_.low, limits_.high,
                   limits_.bias);
    }

   private:
    Limits limits_;
    std::vector<int32_t> sums_;
};

template <class Mean>
class AveragePoolKernel : public Kernel {
   public:
    explicit AveragePoolKernel(const Site& site) : pool_(site), storage_(site.result->storage), mean_(site) {}
    std::string name() const override { return "codes average pool"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, !pool_.last);
        const auto at = pool_.place(x.dims);
        const Geometry g = geometry_of(at->x, at->out, at->window);
        const Buffer out = take_codes(ctx, at->out, storage_);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        const int64_t work = std::max<int64_t>(at->x[1] * g.taps(), 1);
        ctx.pool().run_ranges(static_cast<size_t>(g.places()), static_cast<size_t>(least_codes / work + 1), [&](size_t first, size_t last) {
            pool_results(g, at->x[1], static_cast<int64_t>(first), static_cast<int64_t>(last), x.data, y);
        });
        give_codes(ctx, at->result, storage_, !pool_.last, out);
    }

   private:
    void pool_results(const Geometry& g, int64_t channels, int64_t first, int64_t last, const uint8_t* x, uint8_t* y) const {
        Mean mean = mean_;
        const Walk walk(g);
        const int64_t image = g.in[0] * g.in[1] * g.in[2] * channels;
        walk.results(first, last, [&](int64_t r, int64_t batch, const Space& place) {
            int64_t count = 0;
            mean.clear(channels);
            walk.taps(place, [&](int64_t, int64_t tap) {
                if (tap < 0) return;
                mean.add(x + batch * image + tap * channels);
                ++count;
            });
            mean.give(Mean::counts_padding && pool_.counts_padding ? g.taps() : count, y + r * channels);
        });
    }

    PoolSite pool_;
    DType storage_;
    Mean mean_;
};

// Is the arithmetic that of average_codes.h?
bool averages_codes(const Site& site) {
    return std::ranges::any_of(tflite_spatial_rows(),
                               [&](const ProfileRow& row) { return site.arithmetic && row.eval == site.arithmetic->eval; });
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = pool_obstacle(site);
    if (refusal.empty() && !has_8_bits(site)) refusal = "its codes do not have 8 bits and one scale";
    if (!refusal.empty()) return nullptr;
    if (averages_codes(site)) return std::make_unique<AveragePoolKernel<CodeMean>>(site);
    if (computes_as_onnx(site)) return std::make_unique<AveragePoolKernel<RealMean>>(site);
    refusal = "has other arithmetic than a mean of codes";
    return nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::AveragePool, .make = make}};

}  // namespace

std::span<const KernelRow> average_pool_rows() { return rows; }

}  // namespace quern::codes
