// RMSNormalization over the last dims in float32, groups side by side. The squares are summed in double in lanes, so that the result is
// within a rounding of the reference's.
#include <array>
#include <cmath>

#include "libcore/kernels/isa.h"
#include "libcore/kernels/simd/math.h"
#include "libcore/kernels/simd/rows.h"
#include "libcore/ops/shared/shared.h"

namespace quern::simd {
namespace {

using Loop = void (*)(const float* from, const float* scale, size_t count, double epsilon, float* to);

QUERN_INLINE void normalize(const float* from, const float* scale, size_t count, double epsilon, float* to) {
    constexpr size_t lanes = 16;
    double sums[lanes] = {};
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (size_t k = 0; k < lanes; ++k) sums[k] += static_cast<double>(from[i + k]) * static_cast<double>(from[i + k]);
    for (size_t k = 0; i < count; ++i, ++k) sums[k] += static_cast<double>(from[i]) * static_cast<double>(from[i]);
    double squares = 0;
    for (const double sum : sums) squares += sum;
    const auto inverse = static_cast<float>(1 / __builtin_sqrt(squares / static_cast<double>(count) + epsilon));
    _Pragma("GCC ivdep") for (size_t k = 0; k < count; ++k) to[k] = from[k] * inverse * scale[k];
}

void normalize_base(const float* from, const float* scale, size_t count, double epsilon, float* to) {
    normalize(from, scale, count, epsilon, to);
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void normalize_avx2(const float* from, const float* scale, size_t count, double epsilon, float* to) {
    normalize(from, scale, count, epsilon, to);
}
#else
constexpr Loop normalize_avx2 = normalize_base;
#endif

class RmsNormKernel : public Kernel {
   public:
    RmsNormKernel(size_t count, float epsilon) : count_(count), epsilon_(epsilon) {}
    std::string name() const override { return isa() == Isa::base ? "base rms norm" : "avx2 rms norm"; }

    void run(KernelCtx& ctx) override {
        const Tensor &x = *ctx.in(0), &scale = *ctx.in(1);
        const Buffer out = ctx.memory().take(x.data.size());
        const auto *from = x.view<float>().data(), *factors = scale.view<float>().data();
        auto* to = reinterpret_cast<float*>(out.data.get());
        const Loop loop = isa() == Isa::base ? normalize_base : normalize_avx2;
        const auto groups = static_cast<size_t>(x.count()) / count_;
        ctx.pool().run_ranges(groups, std::max<size_t>(1, task_numbers / count_), [&](size_t first, size_t last) {
            for (size_t g = first; g < last; ++g) loop(from + g * count_, factors, count_, epsilon_, to + g * count_);
        });
        ctx.give({DType::f32, x.dims, out.freeze()});
    }

   private:
    static constexpr size_t task_numbers = 16384;
    size_t count_;  // of a group
    double epsilon_;
};

}  // namespace

std::unique_ptr<Kernel> make_rms_norm(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    const Shape &x = site.value(node.in[0]).type.shape, &scale = site.value(node.in[1]).type.shape;
    if (!is_f32(site, node.in[0]) || !is_f32(site, node.in[1])) return refusal = "is not float32", nullptr;
    const NodeView view(node);
    const auto axis = x.ranked ? normal_axis(view.integer("axis"), x.rank()) : 0;
    const auto dims = scale.concrete();
    if (!x.ranked || !dims || count_of(*dims) == 0 ||
        !same_shape(Shape::of_dims({x.dims.begin() + static_cast<int64_t>(axis), x.dims.end()}), scale))
        return refusal = "its scale is not one number for each element of a group", nullptr;
    return std::make_unique<RmsNormKernel>(static_cast<size_t>(count_of(*dims)), view.real("epsilon"));
}

}  // namespace quern::simd
