// Add of codes and constant numbers along the last dims: a bias that is not quantized. The codes are decoded, the numbers added, and the
// sums encoded, each in float32 as encodings define it (graph/encoding.h).
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/kernels/isa.h"

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

#if defined(__x86_64__)

QUERN_INLINE_AVX2 __m256i eight(const Grids& g, const uint8_t* x, const float* added) {
    const __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(eight_codes(x, _mm256_set1_epi32(g.x_zero))), _mm256_set1_ps(g.x_scale));
    const __m256 steps = _mm256_div_ps(_mm256_add_ps(real, _mm256_loadu_ps(added)), _mm256_set1_ps(g.y_scale));
    const __m256 low = _mm256_set1_ps(static_cast<float>(g.low - g.y_zero)), high = _mm256_set1_ps(static_cast<float>(g.high - g.y_zero));
    return _mm256_add_epi32(_mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(steps, low), high)), _mm256_set1_epi32(g.y_zero));
}

QUERN_AVX2 size_t add_sixteens(const Grids& g, const uint8_t* x, const float* added, uint8_t* y, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m128i codes = bytes_of(eight(g, x + i, added + i), eight(g, x + i + 8, added + i + 8));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), codes);
    }
    return i;
}

#endif

void add(const Grids& g, const uint8_t* x, const float* added, uint8_t* y, size_t count) {
    size_t i = 0;
#if defined(__x86_64__)
    if (isa() >= Isa::avx2) i = add_sixteens(g, x, added, y, count);
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
