#include "libcore/kernels/simd/loops.h"

#include <array>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/kernels/isa.h"
#include "libcore/kernels/kernel.h"
#include "libcore/kernels/simd/math.h"

namespace quern::simd {
namespace {

constexpr float half_root = 0.7071067811865476f;

struct Neg {
    QUERN_INLINE float of(float x, float, float) { return -x; }
};
struct Abs {
    QUERN_INLINE float of(float x, float, float) { return std::fabs(x); }
};
struct Sqrt {
    QUERN_INLINE float of(float x, float, float) { return __builtin_sqrtf(x); }
};
struct Reciprocal {
    QUERN_INLINE float of(float x, float, float) { return 1.0f / x; }
};
struct Exp {
    QUERN_INLINE float of(float x, float, float) { return exp(x); }
};
struct Erf {
    QUERN_INLINE float of(float x, float, float) { return erf(x); }
};
struct Sigmoid {
    QUERN_INLINE float of(float x, float, float) { return sigmoid(x); }
};
struct Tanh {
    QUERN_INLINE float of(float x, float, float) { return tanh(x); }
};
struct Gelu {
    QUERN_INLINE float of(float x, float, float) { return 0.5f * x * (1.0f + erf(x * half_root)); }
};
struct Swish {
    QUERN_INLINE float of(float x, float a, float) { return x * sigmoid(a * x); }
};
struct Clip {
    QUERN_INLINE float of(float x, float a, float b) {
        const float y = select(x < a, a, x);
        return select(b < y, b, y);
    }
};
struct Relu {
    QUERN_INLINE float of(float x, float, float) { return select(x < 0.0f, 0.0f, x); }
};
struct LeakyRelu {
    QUERN_INLINE float of(float x, float a, float) { return select(x < 0.0f, a * x, x); }
};
struct HardSigmoid {
    QUERN_INLINE float of(float x, float a, float b) { return Clip::of(a * x + b, 0.0f, 1.0f); }
};
struct HardSwish {
    QUERN_INLINE float of(float x, float, float) { return x * Clip::of(x / 6.0f + 0.5f, 0.0f, 1.0f); }
};

struct Add {
    QUERN_INLINE float of(float x, float y) { return x + y; }
};
struct Sub {
    QUERN_INLINE float of(float x, float y) { return x - y; }
};
struct Mul {
    QUERN_INLINE float of(float x, float y) { return x * y; }
};
struct Div {
    QUERN_INLINE float of(float x, float y) { return x / y; }
};
struct PRelu {
    QUERN_INLINE float of(float x, float y) { return select(x < 0.0f, x * y, x); }
};

// `to` is an input or apart from them, so elements do not depend on one another.
#define QUERN_LOOPS(suffix, attributes)                                                            \
    template <class F>                                                                             \
    attributes void unary_##suffix(const float* from, float* to, size_t count, float a, float b) { \
        _Pragma("GCC ivdep") for (size_t i = 0; i < count; ++i) to[i] = F::of(from[i], a, b);      \
    }                                                                                              \
    template <class F>                                                                             \
    attributes void binary_##suffix(const float* x, const float* y, float* to, size_t count) {     \
        _Pragma("GCC ivdep") for (size_t i = 0; i < count; ++i) to[i] = F::of(x[i], y[i]);         \
    }

QUERN_LOOPS(base, )
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define QUERN_X86 1
QUERN_LOOPS(avx2, [[gnu::target("avx2")]])
QUERN_LOOPS(avx512, [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")]])
#endif

template <class Loop>
using Loops = std::array<Loop, 3>;  // by Isa

template <class F>
constexpr Loops<UnaryLoop> unary_loops() {
#ifdef QUERN_X86
    return {unary_base<F>, unary_avx2<F>, unary_avx512<F>};
#else
    return {unary_base<F>, unary_base<F>, unary_base<F>};
#endif
}
template <class F>
constexpr Loops<BinaryLoop> binary_loops() {
#ifdef QUERN_X86
    return {binary_base<F>, binary_avx2<F>, binary_avx512<F>};
#else
    return {binary_base<F>, binary_base<F>, binary_base<F>};
#endif
}

struct UnaryRow {
    std::string_view op;
    Loops<UnaryLoop> loops;
    std::string_view a = {}, b = {};  // attributes
};
constexpr std::array unary_rows{
    UnaryRow{"Neg", unary_loops<Neg>()},
    UnaryRow{"Abs", unary_loops<Abs>()},
    UnaryRow{"Sqrt", unary_loops<Sqrt>()},
    UnaryRow{"Reciprocal", unary_loops<Reciprocal>()},
    UnaryRow{"Exp", unary_loops<Exp>()},
    UnaryRow{"Erf", unary_loops<Erf>()},
    UnaryRow{"Sigmoid", unary_loops<Sigmoid>()},
    UnaryRow{"Tanh", unary_loops<Tanh>()},
    UnaryRow{"Relu", unary_loops<Relu>()},
    UnaryRow{"LeakyRelu", unary_loops<LeakyRelu>(), "alpha"},
    UnaryRow{"HardSwish", unary_loops<HardSwish>()},
    UnaryRow{"HardSigmoid", unary_loops<HardSigmoid>(), "alpha", "beta"},
    UnaryRow{"Swish", unary_loops<Swish>(), "alpha"},
};
constexpr auto clip_loops = unary_loops<Clip>();
constexpr auto gelu_loops = unary_loops<Gelu>();

struct BinaryRow {
    std::string_view op;
    Loops<BinaryLoop> loops;
};
constexpr std::array binary_rows{
    BinaryRow{"Add", binary_loops<Add>()}, BinaryRow{"Sub", binary_loops<Sub>()},     BinaryRow{"Mul", binary_loops<Mul>()},
    BinaryRow{"Div", binary_loops<Div>()}, BinaryRow{"PRelu", binary_loops<PRelu>()},
};

template <class Loop>
Loop best(const Loops<Loop>& loops) {
    return loops[static_cast<size_t>(isa())];
}

std::optional<Unary> clip(const Graph& graph, const Node& node) {
    const auto bounds = clip_bounds(graph, node);
    return bounds ? std::optional(Unary{best(clip_loops), bounds->low, bounds->high}) : std::nullopt;
}

}  // namespace

std::optional<Unary> unary_of(const Graph& graph, const Node& node) {
    if (!node.op->domain.empty()) return std::nullopt;
    if (node.is(ops::Clip)) return clip(graph, node);
    const NodeView view(node);
    if (node.is(ops::Gelu) && view.text("approximate") == "none") return Unary{best(gelu_loops)};
    for (const UnaryRow& row : unary_rows)
        if (row.op == node.op->name) {
            const auto parameter = [&](std::string_view attribute) { return attribute.empty() ? 0 : view.real(attribute); };
            return Unary{best(row.loops), parameter(row.a), parameter(row.b)};
        }
    return std::nullopt;
}

BinaryLoop binary_of(const Node& node) {
    if (!node.op->domain.empty() || node.in.size() != 2) return nullptr;
    for (const BinaryRow& row : binary_rows)
        if (row.op == node.op->name) return best(row.loops);
    return nullptr;
}

}  // namespace quern::simd
