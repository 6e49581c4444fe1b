// AveragePool of codes of 8 or 16 bits by onnxruntime's arithmetic (ops/microsoft/qpool.cpp), which is that of real numbers, too, where no
// row takes the node, and by that of TensorFlow Lite (libcore/integer/reduce.h).
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

constexpr int64_t min_codes = 1 << 15;  // that are worth a task

// Real numbers of the codes are summed in float32, in the order of the window.
QUERN_WIDE void add_real(const uint8_t* x, float* sums, int64_t count, int32_t zero, float scale) {
    for (int64_t i = 0; i < count; ++i) sums[i] += scale * static_cast<float>(x[i] - zero);
}
QUERN_WIDE void add_real(const uint16_t* x, float* sums, int64_t count, int32_t zero, float scale) {
    for (int64_t i = 0; i < count; ++i) sums[i] += scale * static_cast<float>(x[i] - zero);
}
QUERN_WIDE void divide(float* sums, int64_t count, float by) {
    for (int64_t i = 0; i < count; ++i) sums[i] /= by;
}

// Codes themselves are summed.
QUERN_WIDE void add_codes(const uint8_t* x, int32_t* sums, int64_t count, int32_t bias) {
    for (int64_t i = 0; i < count; ++i) sums[i] += x[i] - bias;
}
QUERN_WIDE void add_codes(const uint16_t* x, int32_t* sums, int64_t count, int32_t bias) {
    for (int64_t i = 0; i < count; ++i) sums[i] += x[i] - bias;
}
// Whole quotients of numbers below 2^31 are exact in double.
QUERN_WIDE void mean_codes(int32_t* sums, int64_t channels, int32_t count, int32_t low, int32_t high) {
    const int32_t half = count / 2;
    const double all = count;
    for (int64_t i = 0; i < channels; ++i) {
        const int32_t sum = sums[i] > 0 ? sums[i] + half : sums[i] - half;
        const auto mean = static_cast<int32_t>(static_cast<double>(sum) / all);
        sums[i] = mean < low ? low : mean > high ? high : mean;
    }
}

// Codes, which are unsigned with `bias` added.
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
    template <class Code>
    void add(const Code* x) {
        add_real(x, sums_.data(), std::ssize(sums_), zero_, scale_);
    }
    template <class Code>
    void give(int64_t count, Code* y) {
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
    template <class Code>
    void add(const Code* x) {
        add_codes(x, sums_.data(), std::ssize(sums_), limits_.bias);
    }
    template <class Code>
    void give(int64_t count, Code* y) {
        mean_codes(sums_.data(), std::ssize(sums_), static_cast<int32_t>(std::max<int64_t>(count, 1)), limits_.low, limits_.high);
        std::ranges::transform(sums_, y, [&](int32_t code) { return static_cast<Code>(code + limits_.bias); });
    }

   private:
    Limits limits_;
    std::vector<int32_t> sums_;
};

template <class Mean, class Code>
class AveragePoolKernel : public Kernel {
   public:
    explicit AveragePoolKernel(const Site& site) : pool_(site), storage_(site.result->storage), mean_(site) {}
    std::string name() const override { return "codes average pool"; }

    void run(KernelCtx& ctx) override {
        const auto x = coded_in<Code>(ctx, 0, !pool_.last);
        const auto at = pool_.place(x.dims);
        const Geometry g = geometry_of(at->x, at->out, at->window);
        const Buffer out = take_codes(ctx, at->out, storage_);
        auto* y = reinterpret_cast<Code*>(out.data.get());
        const int64_t work = std::max<int64_t>(at->x[1] * g.taps(), 1);
        ctx.pool().run_ranges(static_cast<size_t>(g.places()), static_cast<size_t>(min_codes / work + 1), [&](size_t first, size_t last) {
            pool_results(g, at->x[1], static_cast<int64_t>(first), static_cast<int64_t>(last), x.data, y);
        });
        give_coded<Code>(ctx, at->result, storage_, !pool_.last, out);
    }

   private:
    void pool_results(const Geometry& g, int64_t channels, int64_t first, int64_t last, const Code* x, Code* y) const {
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

// Is the arithmetic that of average_codes?
bool averages_codes(const Site& site) {
    return std::ranges::any_of(tflite_spatial_rows(),
                               [&](const ProfileRow& row) { return site.arithmetic && row.eval == site.arithmetic->eval; });
}

std::string_view obstacle(const Site& site) {
    if (const auto common = pool_obstacle(site); !common.empty()) return common;
    const auto& x = site.value(site.first().in[0]).enc;
    const int bits = code_bits(site.result);
    if (bits == 0 || code_bits(x) != bits) return "its codes do not have 8 or 16 bits and one scale on both sides";
    if (averages_codes(site)) {
        const bool fits = count_of(NodeView(site.first()).integers("kernel_shape")) < 1 << (31 - bits);
        return fits ? "" : "its windows are large";
    }
    if (site.arithmetic && !computes_as_onnx(site)) return "has other arithmetic than a mean of codes";
    return x->real == DType::f32 && site.result->real == DType::f32 ? "" : "its real numbers are not float32";
}

template <class Mean>
std::unique_ptr<Kernel> make_by(const Site& site) {
    if (is_byte_codes(site.result)) return std::make_unique<AveragePoolKernel<Mean, uint8_t>>(site);
    return std::make_unique<AveragePoolKernel<Mean, uint16_t>>(site);
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    if (!refusal.empty()) return nullptr;
    return averages_codes(site) ? make_by<CodeMean>(site) : make_by<RealMean>(site);
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::AveragePool, .make = make}};

}  // namespace

std::span<const KernelRow> average_pool_rows() { return rows; }

}  // namespace quern::codes
