// Activation functions: ONNX's rows.
#include "libcore/ops/shared/activation.h"

#include <array>
#include <type_traits>

#include "libcore/base/truncated.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

// Output 0 = fn(input 0, as many of the row's attributes as it takes, as numbers of its class).
template <auto fn>
void eval_activation(EvalCtx& ctx) {
    using Fn = decltype(fn);
    const auto number = [&](size_t i) { return ctx.real(ctx.node().op->attrs[i].name); };
    if constexpr (std::is_invocable_v<Fn, float>)
        map_floats(ctx, fn);
    else if constexpr (std::is_invocable_v<Fn, float, float>)
        map_floats(ctx, [a = number(0)](auto x) { return fn(x, static_cast<decltype(x)>(a)); });
    else
        map_floats(ctx, [a = number(0), b = number(1)](auto x) { return fn(x, static_cast<decltype(x)>(a), static_cast<decltype(x)>(b)); });
}

void eval_gelu(EvalCtx& ctx) {
    const std::string approximate = ctx.text("approximate");
    if (approximate == "tanh") return map_floats(ctx, [](auto x) { return act::gelu_by_tanh(x); });
    if (approximate == "none") return map_floats(ctx, [](auto x) { return act::gelu(x); });
    throw bad_input("approximate is \"{}\", need \"none\" or \"tanh\"", approximate);
}
void eval_shrink(EvalCtx& ctx) {
    const float bias = ctx.real("bias"), lambd = ctx.real("lambd");
    map_elements(ctx, [=](auto x) {
        using T = decltype(x);
        if constexpr (std::is_floating_point_v<T>) {
            return x < -static_cast<T>(lambd) ? x + bias : x > lambd ? x - bias : T{0};
        } else {
            const auto wide = static_cast<double>(x);
            const auto whole = [](double moved) { return moved < 0 ? static_cast<T>(truncated<int64_t>(moved)) : truncated<T>(moved); };
            return wide < -lambd ? whole(wide + bias) : wide > lambd ? whole(wide - bias) : T{0};
        }
    });
}

// A bound of Clip: absent means none.
template <class T>
std::optional<T> bound(EvalCtx& ctx, size_t i) {
    const Tensor* t = ctx.in(i);
    if (!t) return std::nullopt;
    if (t->count() != 1) throw bad_input("bound {} is {}, need a scalar", i, to_string(t->dims));
    need_same_type(ctx.need(0), *t);
    return Numbers<T>(*t)[0];
}

void eval_clip(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    with_ordered(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto low = bound<T>(ctx, 1), high = bound<T>(ctx, 2);
        const T lo = low.value_or(T{0}), hi = high.value_or(T{0});
        if (low && high)
            map_elements(ctx, [lo, hi](auto v) { return act::clip(v, static_cast<decltype(v)>(lo), static_cast<decltype(v)>(hi)); });
        else if (low)
            map_elements(ctx, [lo](auto v) { return std::max(v, static_cast<decltype(v)>(lo)); });
        else if (high)
            map_elements(ctx, [hi](auto v) { return std::min(v, static_cast<decltype(v)>(hi)); });
        else
            ctx.give(0, x);
    });
}

void eval_prelu(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &slope = ctx.need(1);
    if (broadcast(x.dims, slope.dims) != x.dims)
        throw bad_input("slope {} does not broadcast to {}", to_string(slope.dims), to_string(x.dims));
    zip_elements(ctx, [](auto v, auto s) { return v < decltype(v){0} ? v * s : v; });
}

void eval_swiglu(EvalCtx& ctx) {
    const float alpha = ctx.real("alpha");
    zip_elements(ctx, [=](auto a, auto b) {
        using T = decltype(a);
        if constexpr (std::is_floating_point_v<T>)
            return act::swish(a, static_cast<T>(alpha)) * b;
        else
            return T{0};
    });
}

// ---- rows ------------------------------------------------------------------------------------------------------------

constexpr std::array hard_sigmoid_attrs{AttrDef{"alpha", AttrKind::real, "0.2"}, AttrDef{"beta", AttrKind::real, "0.5"}};
constexpr std::array leaky_attrs{AttrDef{"alpha", AttrKind::real, "0.01"}};
constexpr std::array alpha_attrs{AttrDef{"alpha", AttrKind::real, "1.0"}};
constexpr std::array selu_attrs{AttrDef{"alpha", AttrKind::real, "1.67326319217681884765625"},
                                AttrDef{"gamma", AttrKind::real, "1.05070102214813232421875"}};
constexpr std::array gelu_attrs{AttrDef{"approximate", AttrKind::text, "none"}};
constexpr std::array shrink_attrs{AttrDef{"bias", AttrKind::real, "0.0"}, AttrDef{"lambd", AttrKind::real, "0.5"}};

constexpr QuantRule own = rules::own, friendly = rules::own.with(rules::friendly);
constexpr QuantTrait bounded = rules::friendly | rules::sets_scale;
// TensorFlow Lite's 8-bit and 16x8 quantization specification; Samsung/ONE, luci's QuantizationUtils.
constexpr std::array tflite_sigmoid{FixedResult{DType::i8, 1.0f / 256, -128}, FixedResult{DType::u8, 1.0f / 256, 0},
                                    FixedResult{DType::i16, 1.0f / 32768, 0}};
constexpr std::array tflite_tanh{FixedResult{DType::i8, 1.0f / 128, 0}, FixedResult{DType::u8, 1.0f / 128, 128},
                                 FixedResult{DType::i16, 1.0f / 32768, 0}};
constexpr std::array one_sigmoid{FixedResult{DType::u8, 1.0f / 256, 0}, FixedResult{DType::i16, 1.0f / 32768, 0}};
constexpr std::array one_tanh{FixedResult{DType::u8, 2.0f / 256, 128}, FixedResult{DType::i16, 1.0f / 32768, 0}};
constexpr QuantRule as_sigmoid = rules::within(0, 1).with(bounded).with_runtimes({.fixed = tflite_sigmoid}, {.fixed = one_sigmoid});
constexpr QuantRule as_tanh = rules::within(-1, 1).with(bounded).with_runtimes({.fixed = tflite_tanh}, {.fixed = one_tanh});

constexpr Op activation(std::string_view name, void (*eval)(EvalCtx&), Formula formula, QuantRule quant, std::string_view doc,
                        std::span<const AttrDef> attrs = {}, Trait more = Trait::none, DTypes types = dtypes::floats) {
    return elementwise({.name = name,
                        .attrs = attrs,
                        .traits = pointwise | more,
                        .types = types,
                        .infer = infer_same,
                        .eval = eval,
                        .formula = formula,
                        .quant = quant,
                        .doc = doc});
}
constexpr DTypes signed_numbers = dtypes::floats | dtypes::signed_ints;
constexpr DTypes shrinkable = DType::f32 | DType::f64 | DType::f16 | dtypes::ints;
constexpr DTypes sloped = dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64;

constexpr std::array activation_table{
    activation("Relu", eval_elements<[](auto x) { return act::relu(x); }>, of_all("u < 0 ? 0 : u"),
               rules::same.with(rules::friendly | rules::selects), "max(x, 0)", {}, Trait::activation | Trait::monotone | Trait::idempotent,
               signed_numbers),
    activation("Sigmoid", eval_activation<[](auto x) { return act::sigmoid(x); }>, {"1.0f / (1.0f + @expf@(-u))"}, as_sigmoid,
               "1 / (1 + exp(-x))", {}, Trait::monotone),
    activation("Tanh", eval_activation<[](auto x) { return act::tanh(x); }>, {"@tanhf@(u)"}, as_tanh, "hyperbolic tangent", {},
               Trait::monotone),
    activation("HardSigmoid", eval_activation<[](auto x, auto alpha, auto beta) { return act::hard_sigmoid(x, alpha, beta); }>,
               {"@alpha@ * u + @beta@ < 0.0f ? 0.0f : @alpha@ * u + @beta@ > 1.0f ? 1.0f : @alpha@ * u + @beta@"},
               rules::within(0, 1).with(rules::friendly), "alpha * x + beta, limited to [0, 1]", hard_sigmoid_attrs),
    activation("HardSwish", eval_activation<[](auto x) { return act::hard_swish(x); }>,
               {"u * (u / 6.0f + 0.5f < 0.0f ? 0.0f : u / 6.0f + 0.5f > 1.0f ? 1.0f : u / 6.0f + 0.5f)"}, friendly,
               "x * max(0, min(1, x / 6 + 0.5))"),
    activation("Softplus", eval_activation<[](auto x) { return act::softplus(x); }>,
               {"u > 0.0f ? u + @log1pf@(@expf@(-u)) : @log1pf@(@expf@(u))"}, own, "log(1 + exp(x))", {}, Trait::monotone),
    activation("Softsign", eval_activation<[](auto x) { return act::softsign(x); }>, {"u / (1.0f + (u < 0.0f ? -u : u))"},
               rules::within(-1, 1), "x / (1 + |x|)", {}, Trait::monotone),
    activation("LeakyRelu", eval_activation<[](auto x, auto alpha) { return act::leaky_relu(x, alpha); }>, {"u < 0.0f ? @alpha@ * u : u"},
               friendly, "x, below 0 alpha * x", leaky_attrs),
    activation("ThresholdedRelu", eval_activation<[](auto x, auto alpha) { return act::thresholded_relu(x, alpha); }>,
               {"u > @alpha@ ? u : 0.0f"}, own, "x above alpha, else 0", alpha_attrs),
    activation("Elu", eval_activation<[](auto x, auto alpha) { return act::elu(x, alpha); }>, {"u < 0.0f ? @alpha@ * @expm1f@(u) : u"},
               friendly, "x, below 0 alpha * (exp(x) - 1)", alpha_attrs),
    activation("Celu", eval_activation<[](auto x, auto alpha) { return act::celu(x, alpha); }>,
               {"u < 0.0f ? @alpha@ * @expm1f@(u / @alpha@) : u"}, own, "x, below 0 alpha * (exp(x / alpha) - 1)", alpha_attrs),
    activation("Selu", eval_activation<[](auto x, auto alpha, auto gamma) { return act::selu(x, alpha, gamma); }>,
               {"@gamma@ * (u > 0.0f ? u : @alpha@ * @expm1f@(u))"}, own, "gamma * (x, below 0 alpha * (exp(x) - 1))", selu_attrs),
    activation("Gelu", eval_gelu, {}, friendly, "x * P(normal < x), exact or by tanh", gelu_attrs),
    activation("Mish", eval_activation<[](auto x) { return act::mish(x); }>,
               {"u * @tanhf@(u > 0.0f ? u + @log1pf@(@expf@(-u)) : @log1pf@(@expf@(u)))"}, friendly, "x * tanh(softplus(x))"),
    activation("Swish", eval_activation<[](auto x, auto alpha) { return act::swish(x, alpha); }>,
               {"u * (1.0f / (1.0f + @expf@(-(@alpha@ * u))))"}, friendly, "x * sigmoid(alpha * x)", alpha_attrs),
    activation("Shrink", eval_shrink, {"u < -@lambd@ ? u + @bias@ : u > @lambd@ ? u - @bias@ : 0.0f"}, own,
               "x moved by bias towards 0, 0 within lambd", shrink_attrs, Trait::none, shrinkable),
    elementwise({.name = "Clip",
                 .in = {1, 3},
                 .traits = pointwise | Trait::activation | Trait::monotone | Trait::idempotent,
                 .types = dtypes::numbers,
                 .infer = infer_same,
                 .eval = eval_clip,
                 .quant = rules::same.with(rules::friendly),
                 .doc = "x limited to [min, max]"}),
    elementwise({.name = "PRelu",
                 .in = {2, 2},
                 .traits = pointwise,
                 .types = sloped,
                 .infer = infer_same,
                 .eval = eval_prelu,
                 .formula = {"u < 0.0f ? u * v : u"},
                 .quant = friendly.with_runtimes({}, {.channel_constants = 0b10}),
                 .doc = "x, below 0 slope * x"}),
    elementwise({.name = "SwiGLU",
                 .in = {2, 2},
                 .attrs = alpha_attrs,
                 .types = dtypes::floats,
                 .infer = infer_broadcast,
                 .eval = eval_swiglu,
                 .formula = {"u * (1.0f / (1.0f + @expf@(-(@alpha@ * u)))) * v"},
                 .quant = rules::own_both,
                 .doc = "swish(a) * b"}),
};

}  // namespace

std::span<const Op> activation_ops() { return activation_table; }

}  // namespace quern
