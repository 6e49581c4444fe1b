// LayerNormalization over the last dims: moments in double, in the order of the line.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/real_lines.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/isa.h"
#include "libcore/ops/shared/norm.h"

namespace quern::codes {
namespace {

#if defined(__x86_64__)

constexpr int64_t together = 8;  // lines whose sums are independent

// Numbers i to i + 3 of four lines: numbers[k] are number i + k of each.
QUERN_INLINE_AVX2 void load_across(const float* lines, int64_t length, int64_t i, __m256d (&numbers)[4]) {
    __m128 a = _mm_loadu_ps(lines + i), b = _mm_loadu_ps(lines + length + i), c = _mm_loadu_ps(lines + 2 * length + i),
           d = _mm_loadu_ps(lines + 3 * length + i);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    numbers[0] = _mm256_cvtps_pd(a);
    numbers[1] = _mm256_cvtps_pd(b);
    numbers[2] = _mm256_cvtps_pd(c);
    numbers[3] = _mm256_cvtps_pd(d);
}
QUERN_INLINE_AVX2 __m256d load_one_across(const float* x, int64_t length) {
    return _mm256_setr_pd(x[0], x[length], x[2 * length], x[3 * length]);
}

struct Moments {
    alignas(32) double means[together], variances[together];
};

QUERN_AVX2 void moments_together(const float* lines, int64_t length, Moments& moments) {
    const __m256d count = _mm256_set1_pd(static_cast<double>(length));
    const float* halves[2] = {lines, lines + 4 * length};
    __m256d sums[2], means[2], numbers[4];
    sums[0] = sums[1] = _mm256_setzero_pd();
    int64_t i = 0;
    for (; i + 4 <= length; i += 4)
        for (int h = 0; h < 2; ++h) {
            load_across(halves[h], length, i, numbers);
            for (const __m256d& x : numbers) sums[h] = _mm256_add_pd(sums[h], x);
        }
    for (; i < length; ++i)
        for (int h = 0; h < 2; ++h) sums[h] = _mm256_add_pd(sums[h], load_one_across(halves[h] + i, length));
    for (int h = 0; h < 2; ++h) means[h] = _mm256_div_pd(sums[h], count), sums[h] = _mm256_setzero_pd();
    const auto add_square = [&](int h, __m256d x) QUERN_AVX2 {
        const __m256d from_mean = _mm256_sub_pd(x, means[h]);
        sums[h] = _mm256_add_pd(sums[h], _mm256_mul_pd(from_mean, from_mean));
    };
    for (i = 0; i + 4 <= length; i += 4)
        for (int h = 0; h < 2; ++h) {
            load_across(halves[h], length, i, numbers);
            for (const __m256d& x : numbers) add_square(h, x);
        }
    for (; i < length; ++i)
        for (int h = 0; h < 2; ++h) add_square(h, load_one_across(halves[h] + i, length));
    for (int h = 0; h < 2; ++h) {
        _mm256_store_pd(moments.means + 4 * h, means[h]);
        _mm256_store_pd(moments.variances + 4 * h, _mm256_div_pd(sums[h], count));
    }
}

// Gives how many were computed.
QUERN_AVX2 size_t normalize_eights(float* x, double mean, double inverse, std::span<const float> scale, std::span<const float> bias) {
    const __m256d means = _mm256_set1_pd(mean), inverses = _mm256_set1_pd(inverse);
    const auto normal = [&](const float* from) QUERN_AVX2 {
        return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(from)), means), inverses));
    };
    size_t i = 0;
    for (; i + 8 <= scale.size(); i += 8) {
        const __m256 numbers = _mm256_set_m128(normal(x + i + 4), normal(x + i));
        const __m256 scaled = _mm256_mul_ps(numbers, _mm256_loadu_ps(scale.data() + i));
        _mm256_storeu_ps(x + i, _mm256_add_ps(scaled, _mm256_loadu_ps(bias.data() + i)));
    }
    return i;
}

#endif

// The arithmetic of ops/onnx/layer_norm.cpp.
class LayerNormKernel : public RealLines {
   public:
    LayerNormKernel(const Site& site, std::vector<float> scale, std::vector<float> bias)
        : RealLines(site), epsilon_(NodeView(site.first()).real("epsilon")), scale_(std::move(scale)), bias_(std::move(bias)) {}
    std::string name() const override { return "codes layer norm"; }

   private:
    int64_t length_of(const Dims&) const override { return std::ssize(scale_); }

    void normalize(float* x, double mean, double variance) const {
        const double inverse = 1 / std::sqrt(variance + epsilon_);
        size_t i = 0;
#if defined(__x86_64__)
        if (isa() >= Isa::avx2) i = normalize_eights(x, mean, inverse, scale_, bias_);
#endif
        for (; i < scale_.size(); ++i) x[i] = static_cast<float>((x[i] - mean) * inverse) * scale_[i] + bias_[i];
    }

    void compute(float* lines, int64_t count, int64_t length) const override {
        int64_t r = 0;
#if defined(__x86_64__)
        if (isa() >= Isa::avx2) {
            Moments moments;
            for (; r + together <= count; r += together) {
                moments_together(lines + r * length, length, moments);
                for (int64_t k = 0; k < together; ++k) normalize(lines + (r + k) * length, moments.means[k], moments.variances[k]);
            }
        }
#endif
        for (; r < count; ++r) {
            const LineMoments moments = moments_of(std::span<const float>(lines + r * length, static_cast<size_t>(length)));
            normalize(lines + r * length, moments.mean, moments.variance);
        }
    }

    double epsilon_;
    std::vector<float> scale_, bias_;
};

// Constant numbers of the lines' dims; nothing if input i is something else.
std::optional<std::vector<float>> numbers_at(const Site& site, size_t i, const Dims& inner) {
    const Value& value = site.value(site.first().in[i]);
    const auto dims = value.type.shape.concrete();
    if (!value.constant() || value.enc || value.type.dtype != DType::f32 || !dims || *dims != inner) return std::nullopt;
    return to_floats(*site.graph.constant(site.first().in[i]));
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = real_lines_obstacle(site);
    if (!refusal.empty()) return nullptr;
    const Node& node = site.first();
    const Shape& x = site.value(node.in[0]).type.shape;
    Shape inner = x;
    inner.dims.erase(inner.dims.begin(), inner.dims.begin() + static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), x.rank())));
    const auto dims = inner.concrete();
    const auto scale = dims ? numbers_at(site, 1, *dims) : std::nullopt;
    const bool has_bias = node.in.size() > 2 && node.in[2] != ValueId::none;
    auto bias = scale && has_bias ? numbers_at(site, 2, *dims) : std::nullopt;
    if (scale && !has_bias) bias.emplace(scale->size(), 0.0f);
    if (!scale || !bias || scale->empty()) {
        refusal = "scale and bias are not constant numbers of the lines' dims";
        return nullptr;
    }
    return std::make_unique<LayerNormKernel>(site, *scale, *bias);
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::LayerNormalization, .make = make}};

}  // namespace

std::span<const KernelRow> layer_norm_rows() { return rows; }

}  // namespace quern::codes
