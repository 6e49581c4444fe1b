// The activation functions of recurrent operators (recurrent.h), by name.
#include <algorithm>
#include <array>

#include "libcore/base/text.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/shared/activation.h"

namespace quern {
namespace {

using Kind = GateActivation::Kind;

struct ActivationRow {
    std::string_view name;  // matched without case
    Kind kind;
    bool has_alpha, has_beta;
    float alpha, beta;  // defaults
};
constexpr std::array activations{
    ActivationRow{"relu", Kind::relu, false, false, 0, 0},
    ActivationRow{"tanh", Kind::tanh, false, false, 0, 0},
    ActivationRow{"sigmoid", Kind::sigmoid, false, false, 0, 0},
    ActivationRow{"affine", Kind::affine, true, true, 1, 0},
    ActivationRow{"leakyrelu", Kind::leaky_relu, true, false, 0.01f, 0},
    ActivationRow{"thresholdedrelu", Kind::thresholded_relu, true, false, 1, 0},
    ActivationRow{"scaledtanh", Kind::scaled_tanh, true, true, 1, 1},
    ActivationRow{"hardsigmoid", Kind::hard_sigmoid, true, true, 0.2f, 0.5f},
    ActivationRow{"elu", Kind::elu, true, false, 1, 0},
    ActivationRow{"softsign", Kind::softsign, false, false, 0, 0},
    ActivationRow{"softplus", Kind::softplus, false, false, 0, 0},
};

const ActivationRow& activation_named(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto found = std::find_if(activations.begin(), activations.end(), [&](const ActivationRow& row) { return row.name == lower; });
    if (found == activations.end()) throw bad_input("activation \"{}\" is not known", escape(name));
    return *found;
}

}  // namespace

template <class T>
T GateActivation::operator()(T x) const {
    const T a = static_cast<T>(alpha), b = static_cast<T>(beta);
    switch (kind) {
        case Kind::relu: return act::relu(x);
        case Kind::tanh: return act::tanh(x);
        case Kind::sigmoid: return act::sigmoid(x);
        case Kind::affine: return a * x + b;
        case Kind::leaky_relu: return act::leaky_relu(x, a);
        case Kind::thresholded_relu: return act::thresholded_relu(x, a);
        case Kind::scaled_tanh: return a * act::tanh(b * x);
        case Kind::hard_sigmoid: return act::hard_sigmoid(x, a, b);
        case Kind::elu: return act::elu(x, a);
        case Kind::softsign: return act::softsign(x);
        case Kind::softplus: return act::softplus(x);
    }
    throw bug("activation");
}
template float GateActivation::operator()(float) const;
template double GateActivation::operator()(double) const;

// Parameters are listed only for the activations that take them, in order.
std::vector<GateActivation> gate_activations(const NodeView& node, std::span<const std::string_view> defaults, int64_t directions) {
    std::vector<std::string> names = node.texts("activations");
    const size_t count = defaults.size() * static_cast<size_t>(directions);
    if (names.empty())
        for (size_t i = 0; i < count; ++i) names.emplace_back(defaults[i % defaults.size()]);
    if (names.size() < count) throw bad_input("attribute \"activations\" has {} names, need {}", names.size(), count);
    names.resize(count);  // a default for two directions may be stated for one
    const std::vector<float> alphas = node.reals("activation_alpha"), betas = node.reals("activation_beta");
    std::vector<GateActivation> out;
    size_t alpha = 0, beta = 0;
    for (const std::string& name : names) {
        const ActivationRow& row = activation_named(name);
        out.push_back({row.kind, row.has_alpha && alpha < alphas.size() ? alphas[alpha++] : row.alpha,
                       row.has_beta && beta < betas.size() ? betas[beta++] : row.beta});
    }
    return out;
}

}  // namespace quern
