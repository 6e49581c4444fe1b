#include "libcore/opencl/functions.h"

#include <algorithm>
#include <cmath>

#include "libcore/opencl/failure.h"

namespace quern::opencl {
namespace {

// The text of the kernels, compiled here, too: one definition of each function.
using std::ceil, std::cos, std::erf, std::exp, std::expm1, std::fabs, std::floor, std::isnan, std::log, std::log1p, std::pow, std::rint,
    std::sin, std::sqrt, std::tanh;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#define WIDE
#include "libcore/opencl/kernels/functions.cl"
#undef WIDE
#pragma GCC diagnostic pop

constexpr bool exact = true;
const UnaryFunction functions[] = {
    {"Relu", "fn_relu", fn_relu, {}, exact},
    {"LeakyRelu", "fn_leaky_relu", fn_leaky_relu, {{"alpha", 0.01f}}, exact},
    {"ThresholdedRelu", "fn_thresholded_relu", fn_thresholded_relu, {{"alpha", 1}}, exact},
    {"Clip", "fn_clip", fn_clip, {}, exact},
    {"Sigmoid", "fn_sigmoid", fn_sigmoid},
    {"Swish", "fn_swish", fn_swish, {{"alpha", 1}}},
    {"Tanh", "fn_tanh", fn_tanh},
    {"Erf", "fn_erf", fn_erf},
    {"Gelu", "fn_gelu", fn_gelu},
    {"GeluTanh", "fn_gelu_tanh", fn_gelu_tanh},
    {"HardSigmoid", "fn_hard_sigmoid", fn_hard_sigmoid, {{"alpha", 0.2f}, {"beta", 0.5f}}, exact},
    {"HardSwish", "fn_hard_swish", fn_hard_swish, {}, exact},
    {"Softplus", "fn_softplus", fn_softplus},
    {"Softsign", "fn_softsign", fn_softsign, {}, exact},
    {"Elu", "fn_elu", fn_elu, {{"alpha", 1}}},
    {"Celu", "fn_celu", fn_celu, {{"alpha", 1}}},
    {"Selu", "fn_selu", fn_selu, {{"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}}},
    {"Mish", "fn_mish", fn_mish},
    {"Exp", "fn_exp", fn_exp},
    {"Log", "fn_log", fn_log},
    {"Sqrt", "fn_sqrt", fn_sqrt, {}, exact},
    {"Sin", "fn_sin", fn_sin},
    {"Cos", "fn_cos", fn_cos},
    {"Neg", "fn_neg", fn_neg, {}, exact},
    {"Abs", "fn_abs", fn_abs, {}, exact},
    {"Sign", "fn_sign", fn_sign, {}, exact},
    {"Reciprocal", "fn_reciprocal", fn_reciprocal, {}, exact},
    {"Floor", "fn_floor", fn_floor, {}, exact},
    {"Ceil", "fn_ceil", fn_ceil, {}, exact},
    {"Round", "fn_round", fn_round, {}, exact},
};

}  // namespace

const UnaryFunction& unary_function(std::string_view op) {
    const auto* found = std::ranges::find(functions, op, &UnaryFunction::op);
    if (found == std::end(functions)) throw refused("{} is not among its functions", op);
    return *found;
}

int32_t code_of(float x, float scale, int32_t zero, int32_t low, int32_t high) {
    const float rounded = std::rint(x / scale);
    if (std::isnan(rounded)) return std::clamp(zero, low, high);
    return std::clamp(static_cast<int32_t>(std::clamp(rounded, -1.0e9f, 1.0e9f)) + zero, low, high);
}

}  // namespace quern::opencl
