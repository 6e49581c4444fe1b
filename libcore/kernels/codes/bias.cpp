// Add of codes and constant numbers along the last dims: a bias that is not quantized. The codes are decoded, the numbers added, and the
// sums encoded, each in float32 as encodings define it (graph/encoding.h).
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/kernels/vectors.h"

namespace quern::codes {
namespace {

// Of both sides: bytes as PackedCodes has them.
struct Grids {
    float x_scale, y_scale;
    int32_t x_zero, y_zero, low, high;
    Grids(const Encoding& x, const Encoding& y)
        : x_scale(to_floats(x.scale)[0]),
          y_scale(to_floats(y.scale)[0]),
          x_zero(static_cast<int32_t>(x.zero_at()) + bias_of(x.storage)),
          y_zero(static_cast<int32_t>(y.zero_at()) + bias_of(y.storage)),
          low(static_cast<int32_t>(y.qmin) + bias_of(y.storage)),
          high(static_cast<int32_t>(y.qmax) + bias_of(y.storage)) {}
    uint8_t code(uint8_t x, float added) const {
        return static_cast<uint8_t>(quantize_one(static_cast<float>(x - x_zero) * x_scale + added, y_scale, y_zero, low, high));
    }
};

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();

// Gives how many were computed.
size_t add_sixteens(const Grids& g, const uint8_t* x, const float* added, uint8_t* y, size_t count) {
    using namespace vectors;
    const Int32 zero = all(g.x_zero), y_zero = all(g.y_zero);
    const Float scale = all(g.x_scale), y_scale = all(g.y_scale);
    const Float low = all(static_cast<float>(g.low - g.y_zero)), high = all(static_cast<float>(g.high - g.y_zero));
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        Int32 codes[parts];
#pragma GCC unroll 4
        for (size_t k = 0; k < parts; ++k) {
            const size_t at = i + k * lanes;
            codes[k] = nearest(clamped((floats(load(x + at) - zero) * scale + load(added + at)) / y_scale, low, high)) + y_zero;
        }
        hn::StoreU(bytes_of(codes), DUInt8(), y + i);
    }
    return i;
}

HWY_AFTER_NAMESPACE();
#endif

void add(const Grids& g, const uint8_t* x, const float* added, uint8_t* y, size_t count) {
    size_t i = 0;
#if defined(QUERN_VECTORS)
    if (has_vectors()) i = add_sixteens(g, x, added, y, count);
#endif
    for (; i < count; ++i) y[i] = g.code(x[i], added[i]);
}

class BiasKernel : public Kernel {
   public:
    BiasKernel(const Site& site, size_t codes)
        : grids_(*site.value(site.first().in[codes]).enc, *site.result),
          storage_(site.result->storage),
          codes_(codes),
          added_(to_floats(*site.graph.constant(site.first().in[1 - codes]))) {}

    std::string name() const override { return "codes add numbers"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, codes_, false);
        const auto count = static_cast<size_t>(count_of(x.dims));
        const Buffer out = ctx.memory().take(count);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        const size_t period = added_.size();
        ctx.pool().run_ranges(count / period, grain / period + 1, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) add(grids_, x.data + i * period, added_.data(), y + i * period, period);
        });
        give_codes(ctx, x.dims, storage_, false, out);
    }

   private:
    static constexpr size_t grain = 1 << 15;  // elements worth a task
    Grids grids_;
    DType storage_;
    size_t codes_;  // which operand has them
    std::vector<float> added_;
};

constexpr int64_t min_numbers = 16;  // fewer are tables of the whole function or not worth it

// Which operand is codes beside constant numbers; nothing if neither.
std::optional<size_t> codes_operand(const Site& site) {
    for (const size_t codes : {0, 1}) {
        const Value &x = site.value(site.first().in[codes]), &added = site.value(site.first().in[1 - codes]);
        if (is_byte_codes(x.enc) && added.constant() && !added.enc && added.type.dtype == DType::f32) return codes;
    }
    return std::nullopt;
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    const auto codes = codes_operand(site);
    if (site.arithmetic || !codes || !is_byte_codes(site.result)) {
        refusal = "is not 8-bit codes and constant numbers";
        return nullptr;
    }
    const auto x = site.value(site.first().in[*codes]).type.shape.concrete(),
               added = site.value(site.first().in[1 - *codes]).type.shape.concrete();
    const bool at_end = x && added && count_of(*added) >= min_numbers && added->size() <= x->size() &&
                        std::equal(added->rbegin(), added->rend(), x->rbegin());
    const float scale = to_floats(site.result->scale)[0];
    if (!at_end) refusal = "the numbers are not along its last dims";
    if (!std::isfinite(scale) || scale <= 0) refusal = "has a scale that is not finite";
    if (!refusal.empty()) return nullptr;
    const std::vector<float> numbers = to_floats(*site.graph.constant(site.first().in[1 - *codes]));
    const float max = 255 * to_floats(site.value(site.first().in[*codes]).enc->scale)[0];
    if (!std::ranges::all_of(numbers, [&](float number) { return std::isfinite(number) && std::isfinite(max + std::abs(number)); }))
        refusal = "has numbers that are not finite";
    return refusal.empty() ? std::make_unique<BiasKernel>(site, *codes) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Add, .make = make}};

}  // namespace

std::span<const KernelRow> bias_rows() { return rows; }

}  // namespace quern::codes
