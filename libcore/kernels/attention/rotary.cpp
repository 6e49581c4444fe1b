// RotaryEmbedding in float32: tokens side by side. The same products and sums as the reference, so the same numbers.
#include "libcore/ops/attention/rotary.h"

#include <array>

#include "libcore/kernels/attention/rows.h"
#include "libcore/kernels/isa.h"

namespace quern::attention {
namespace {

// One head: `half` pairs and what is behind them.
using Loop = void (*)(const Rotary& r, const float* from, const float* cosine, const float* sine, float* to);

[[gnu::always_inline]] inline void halves(const Rotary& r, const float* from, const float* cosine, const float* sine, float* to) {
    const int64_t half = r.rotated / 2;
    _Pragma("GCC ivdep") for (int64_t i = 0; i < half; ++i) {
        const float a = from[i], b = from[i + half];
        to[i] = cosine[i] * a - sine[i] * b;
        to[i + half] = sine[i] * a + cosine[i] * b;
    }
}
[[gnu::always_inline]] inline void pairs(const Rotary& r, const float* from, const float* cosine, const float* sine, float* to) {
    const int64_t half = r.rotated / 2;
    _Pragma("GCC ivdep") for (int64_t i = 0; i < half; ++i) {
        const float a = from[2 * i], b = from[2 * i + 1];
        to[2 * i] = cosine[i] * a - sine[i] * b;
        to[2 * i + 1] = sine[i] * a + cosine[i] * b;
    }
}

#define QUERN_ROTARY(loop, suffix, attributes)                                                                               \
    attributes void loop##_##suffix(const Rotary& r, const float* from, const float* cosine, const float* sine, float* to) { \
        loop(r, from, cosine, sine, to);                                                                                     \
    }

QUERN_ROTARY(halves, base, )
QUERN_ROTARY(pairs, base, )
constexpr std::array<Loop, 2> loops_base{halves_base, pairs_base};
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
QUERN_ROTARY(halves, avx2, [[gnu::target("avx2")]])
QUERN_ROTARY(pairs, avx2, [[gnu::target("avx2")]])
constexpr std::array<Loop, 2> loops_avx2{halves_avx2, pairs_avx2};
#else
constexpr auto loops_avx2 = loops_base;
#endif

class RotaryKernel : public Kernel {
   public:
    explicit RotaryKernel(const NodeView& node)
        : heads_(node.integer("num_heads")),
          rotated_(node.integer("rotary_embedding_dim")),
          interleaved_(node.integer("interleaved") != 0) {}
    std::string name() const override { return isa() == Isa::base ? "base rotary" : "avx2 rotary"; }

    void run(KernelCtx& ctx) override {
        const Tensor &data = *ctx.in(0), &cosine = *ctx.in(1), &sine = *ctx.in(2);
        const Rotary r = rotary_of(data.dims, heads_, rotated_, interleaved_);
        const std::vector<int64_t> angles = rotary_angles(r, cosine.dims, sine.dims, ctx.in(3));
        const Buffer out = ctx.memory().take(data.data.size());
        const auto *x = data.view<float>().data(), *c = cosine.view<float>().data(), *s = sine.view<float>().data();
        auto* y = reinterpret_cast<float*>(out.data.get());
        const Loop loop = (isa() == Isa::base ? loops_base : loops_avx2)[interleaved_ ? 1 : 0];
        const auto tokens = static_cast<size_t>(r.batch * r.length);
        ctx.pool().run_ranges(tokens, std::max<size_t>(1, task_numbers / static_cast<size_t>(std::max<int64_t>(1, r.heads * r.size))),
                              [&](size_t first, size_t last) {
                                  for (size_t t = first; t < last; ++t) turn(r, loop, static_cast<int64_t>(t), angles[t], x, c, s, y);
                              });
        ctx.give({DType::f32, data.dims, out.freeze()});
    }

   private:
    static constexpr size_t task_numbers = 16384;

    // All heads of a token.
    static void turn(const Rotary& r, Loop loop, int64_t token, int64_t angle, const float* x, const float* c, const float* s, float* y) {
        const int64_t half = r.rotated / 2;
        for (int64_t h = 0; h < r.heads; ++h) {
            const int64_t at = rotary_place(r, token, h);
            loop(r, x + at, c + angle * half, s + angle * half, y + at);
            std::copy(x + at + r.rotated, x + at + r.size, y + at + r.rotated);
        }
    }

    int64_t heads_, rotated_;
    bool interleaved_;
};

}  // namespace

std::unique_ptr<Kernel> make_rotary(const Site& site, std::string& refusal) {
    for (const size_t i : {0, 1, 2})
        if (!is_f32(site, site.first().in[i])) return refusal = "is not float32", nullptr;
    return std::make_unique<RotaryKernel>(NodeView(site.first()));
}

}  // namespace quern::attention
