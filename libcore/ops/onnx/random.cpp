// Random tensors: normal and uniform numbers, Bernoulli, Multinomial. The same seed gives the same numbers on every machine.
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a counter through a mixing function.
class Random {
   public:
    explicit Random(EvalCtx& ctx) : state_(ctx.has("seed") ? std::bit_cast<uint32_t>(ctx.real("seed")) : ctx.seed()) {}

    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)
    double normal() {                                                         // Box and Muller 1958
        const double radius = std::sqrt(-2 * portable::log(1 - uniform()));
        return radius * portable::cos(2 * std::numbers::pi * uniform());
    }

   private:
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    uint64_t state_;
};

template <class Draw>
void fill(EvalCtx& ctx, DType dtype, const Dims& dims, const Draw& draw) {
    need_type(dtype, dtypes::floats, "the output");
    check_size(dtype, dims);
    Random random(ctx);
    NumbersOut<double> out(ctx, 0, dtype, dims);
    for (double& item : out.span()) item = draw(random);
}
void normal(EvalCtx& ctx, DType dtype, const Dims& dims) {
    const double mean = ctx.real("mean"), scale = ctx.real("scale");
    fill(ctx, dtype, dims, [=](Random& random) { return mean + scale * random.normal(); });
}
void uniform(EvalCtx& ctx, DType dtype, const Dims& dims) {
    const double low = ctx.real("low"), high = ctx.real("high");
    fill(ctx, dtype, dims, [=](Random& random) { return low + (high - low) * random.uniform(); });
}

// The type of input 0 unless an attribute names another; of an input that is not a float, float32.
DType like(const NodeView& node, DType input) {
    return dtype_attr(node, "dtype", dtypes::floats.has(input) || input == DType::none ? input : DType::f32);
}

void infer_shaped(InferCtx& ctx) {
    const auto dims = ctx.integers("shape");
    count_of(dims);
    ctx.set(0, Type::tensor(dtype_attr(ctx, "dtype", DType::f32), Shape::of(dims)));
}
void infer_like(InferCtx& ctx) { ctx.set(0, Type::tensor(like(ctx, ctx.dtype(0)), ctx.shape(0))); }

void eval_normal(EvalCtx& ctx) { normal(ctx, dtype_attr(ctx, "dtype", DType::f32), ctx.integers("shape")); }
void eval_uniform(EvalCtx& ctx) { uniform(ctx, dtype_attr(ctx, "dtype", DType::f32), ctx.integers("shape")); }
void eval_normal_like(EvalCtx& ctx) { normal(ctx, like(ctx, ctx.need(0).dtype), ctx.need(0).dims); }
void eval_uniform_like(EvalCtx& ctx) { uniform(ctx, like(ctx, ctx.need(0).dtype), ctx.need(0).dims); }

void infer_bernoulli(InferCtx& ctx) { ctx.set(0, Type::tensor(dtype_attr(ctx, "dtype", ctx.dtype(0)), ctx.shape(0))); }
void eval_bernoulli(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const DType dtype = need_type(dtype_attr(ctx, "dtype", x.dtype), dtypes::numbers | DType::boolean, "the output");
    const Numbers<double> chance(x);
    Random random(ctx);
    NumbersOut<double> out(ctx, 0, dtype, x.dims);
    for (size_t i = 0; i < out.size(); ++i) out[i] = random.uniform() < chance[i] ? 1 : 0;
}

// Samples from each row of unnormalised log-probabilities [batch, classes].
void infer_multinomial(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    if (shape.ranked && shape.rank() != 2) throw bad_input("input 0 has rank {}, need 2", shape.rank());
    const int64_t count = ctx.integer("sample_size");
    if (count < 0) throw bad_input("sample_size is {}, need 0 or more", count);
    ctx.set(0, Type::tensor(dtype_attr(ctx, "dtype", DType::i32),
                            Shape::of_dims({shape.ranked ? shape.dims[0] : Dim::unknown(), Dim::of(count)})));
}
void eval_multinomial(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    if (x.dims.size() != 2) throw bad_input("input 0 has rank {}, need 2", x.dims.size());
    const DType dtype = need_type(dtype_attr(ctx, "dtype", DType::i32), DType::i32 | DType::i64, "the output");
    const Dims dims{x.dims[0], ctx.integer("sample_size")};
    check_size(dtype, dims);
    const auto classes = static_cast<size_t>(x.dims[1]), samples = static_cast<size_t>(dims[1]);
    if (classes == 0 && count_of(dims) > 0) throw bad_input("there are no classes to draw from");
    const Numbers<double> logits(x);
    Random random(ctx);
    NumbersOut<int64_t> out(ctx, 0, dtype, dims);
    std::vector<double> sums(classes);
    for (size_t row = 0; row < static_cast<size_t>(dims[0]); ++row) {
        double peak = -INFINITY, sum = 0;
        for (size_t c = 0; c < classes; ++c) peak = std::max(peak, logits[row * classes + c]);
        for (size_t c = 0; c < classes; ++c) sums[c] = sum += portable::exp(logits[row * classes + c] - peak);
        for (size_t s = 0; s < samples; ++s) {
            const double mark = random.uniform() * sum;
            size_t c = 0;
            while (c + 1 < classes && !(mark < sums[c])) ++c;
            out[row * samples + s] = static_cast<int64_t>(c);
        }
    }
}

constexpr AttrDef seed{"seed", AttrKind::real}, dtype_f32{"dtype", AttrKind::integer, "1"}, dtype_any{"dtype", AttrKind::integer, "0"};
constexpr AttrDef shape{"shape", AttrKind::integers, "", true};
constexpr AttrDef mean{"mean", AttrKind::real, "0.0"}, scale{"scale", AttrKind::real, "1.0"};
constexpr AttrDef low{"low", AttrKind::real, "0.0"}, high{"high", AttrKind::real, "1.0"};
constexpr std::array normal_attrs{dtype_f32, mean, scale, seed, shape};
constexpr std::array normal_like_attrs{dtype_any, mean, scale, seed};
constexpr std::array uniform_attrs{dtype_f32, high, low, seed, shape};
constexpr std::array uniform_like_attrs{dtype_any, high, low, seed};
constexpr std::array bernoulli_attrs{dtype_any, seed};
constexpr std::array multinomial_attrs{AttrDef{"dtype", AttrKind::integer, "6"}, AttrDef{"sample_size", AttrKind::integer, "1"}, seed};

constexpr Op random(std::string_view name, Arity in, std::span<const AttrDef> attrs, DTypes types, void (*infer)(InferCtx&),
                    void (*eval)(EvalCtx&), std::string_view doc) {
    return {.name = name, .in = in, .attrs = attrs, .traits = Trait::random, .types = types, .infer = infer, .eval = eval, .doc = doc};
}

constexpr std::array random_table{
    random("RandomNormal", {0, 0}, normal_attrs, {}, infer_shaped, eval_normal, "normally distributed numbers"),
    random("RandomUniform", {0, 0}, uniform_attrs, {}, infer_shaped, eval_uniform, "uniformly distributed numbers"),
    random("RandomNormalLike", {1, 1}, normal_like_attrs, movable, infer_like, eval_normal_like,
           "normally distributed numbers in the shape of the input"),
    random("RandomUniformLike", {1, 1}, uniform_like_attrs, movable, infer_like, eval_uniform_like,
           "uniformly distributed numbers in the shape of the input"),
    random("Bernoulli", {1, 1}, bernoulli_attrs, dtypes::floats, infer_bernoulli, eval_bernoulli,
           "1 with the chance that the input gives, else 0"),
    random("Multinomial", {1, 1}, multinomial_attrs, dtypes::floats, infer_multinomial, eval_multinomial,
           "classes drawn by log-probabilities"),
};

}  // namespace

std::span<const Op> random_ops() { return random_table; }

}  // namespace quern
