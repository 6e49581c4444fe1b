// Activations: most are one of ours with other defaults.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/math.h"

namespace quern::torch_format {
namespace {

template <const OpId& op>
bool same(Site& site) {
    site.result(op, {site.in("self")});
    return true;
}

ValueId number(Site& site, double item) { return site.scalar(item, site.dtype("self"), "number"); }

bool relu6(Site& site) {
    site.made(decompose::between<0, 6>({&site, site.in("self")}));
    return true;
}
bool hardtanh(Site& site) {
    site.result(ops::Clip, {site.in("self"), number(site, site.real("min_val", -1)), number(site, site.real("max_val", 1))});
    return true;
}
bool hard_sigmoid(Site& site) {
    site.result(ops::HardSigmoid, {site.in("self")}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
    return true;
}
bool gelu(Site& site) {
    site.result(ops::Gelu, {site.in("self")}, {{"approximate", site.word("approximate", "none")}});
    return true;
}
bool silu(Site& site) {
    const ValueId x = site.in("self");
    site.result(ops::Mul, {x, site.add(ops::Sigmoid, {x})});
    return true;
}
bool log_sigmoid(Site& site) {
    site.result(ops::Neg, {site.add(ops::Softplus, {site.add(ops::Neg, {site.in("self")})})});
    return true;
}

// log(1 + exp(beta x)) / beta; x itself beyond the threshold.
bool softplus(Site& site) {
    const double beta = site.real("beta", 1), threshold = site.real("threshold", 20);
    const ValueId x = site.in("self");
    const ValueId scaled = beta == 1 ? x : site.add(ops::Mul, {x, number(site, beta)});
    const ValueId soft = site.add(ops::Softplus, {scaled}), back = beta == 1 ? soft : site.add(ops::Div, {soft, number(site, beta)});
    site.result(ops::Where, {site.add(ops::Greater, {scaled, number(site, threshold)}), x, back});
    return true;
}

// scale * (x > 0 ? x : alpha * (exp(input_scale * x) - 1))
bool elu(Site& site) {
    const double alpha = site.real("alpha", 1), scale = site.real("scale", 1), input_scale = site.real("input_scale", 1);
    const ValueId x = site.in("self");
    if (scale == 1 && input_scale == 1) {
        site.result(ops::Elu, {x}, {{"alpha", static_cast<float>(alpha)}});
        return true;
    }
    const ValueId grown = site.add(ops::Exp, {site.add(ops::Mul, {x, number(site, input_scale)})});
    const ValueId below = site.add(ops::Mul, {site.add(ops::Sub, {grown, number(site, 1)}), number(site, alpha)});
    const ValueId chosen = site.add(ops::Where, {site.add(ops::Greater, {x, number(site, 0)}), x, below});
    site.result(ops::Mul, {chosen, number(site, scale)});
    return true;
}
bool celu(Site& site) {
    site.result(ops::Celu, {site.in("self")}, {{"alpha", static_cast<float>(site.real("alpha", 1))}});
    return true;
}
bool selu(Site& site) {
    site.result(ops::Selu, {site.in("self")});
    return true;
}
bool leaky_relu(Site& site) {
    site.result(ops::LeakyRelu, {site.in("self")}, {{"alpha", static_cast<float>(site.real("negative_slope", 0.01))}});
    return true;
}

// The middle of the range that the slopes are drawn from.
bool rrelu(Site& site) {
    if (site.flag("training")) return false;
    const double slope = (site.real("lower", 1.0 / 8) + site.real("upper", 1.0 / 3)) / 2;
    site.result(ops::LeakyRelu, {site.in("self")}, {{"alpha", static_cast<float>(slope)}});
    return true;
}

// A slope for each channel, dim 1.
bool prelu(Site& site) {
    ValueId slope = site.in("weight");
    const size_t rank = site.rank("self");
    if (site.rank("weight") == 1 && rank > 2) {
        Ints dims(rank - 1, 1);
        dims[0] = -1;
        slope = site.reshape(slope, dims);
    }
    site.result(ops::PRelu, {site.in("self"), slope});
    return true;
}

bool threshold(Site& site) {
    const ValueId x = site.in("self");
    site.result(ops::Where, {site.add(ops::Greater, {x, number(site, site.real("threshold", 0))}), x, number(site, site.real("value", 0))});
    return true;
}
bool hardshrink(Site& site) {
    site.result(ops::Shrink, {site.in("self")}, {{"lambd", static_cast<float>(site.real("lambd", 0.5))}, {"bias", 0.0f}});
    return true;
}
bool softshrink(Site& site) {
    const auto width = static_cast<float>(site.real("lambd", 0.5));
    site.result(ops::Shrink, {site.in("self")}, {{"lambd", width}, {"bias", width}});
    return true;
}
bool glu(Site& site) {
    const ValueId half = site.value("half"), gate = site.value("gate");
    site.put(ops::Split, {site.in("self")}, {half, gate}, {{"axis", site.axis("dim", site.rank("self"), -1)}, {"num_outputs", int64_t{2}}});
    site.result(ops::Mul, {half, site.add(ops::Sigmoid, {gate})});
    return true;
}

bool dropout(Site& site) {
    if (site.flag("train") || site.flag("training")) return false;
    site.bind(site.in(site.has("input") ? "input" : "self"));
    return true;
}

template <const OpId& op, bool negative = false>
bool softmax(Site& site) {
    ValueId x = site.in_as("self", site.out_meta().dtype);
    if (negative) x = site.add(ops::Neg, {x});
    site.result(op, {x}, {{"axis", site.axis("dim", site.rank("self"), -1)}});
    return true;
}

constexpr std::array activation_table{
    MapRow{"aten.relu", "Relu", same<ops::Relu>},
    MapRow{"aten.relu6", "Clip", relu6},
    MapRow{"aten.hardtanh", "Clip", hardtanh},
    MapRow{"aten.hardswish", "HardSwish", same<ops::HardSwish>},
    MapRow{"aten.hardsigmoid", "HardSigmoid", hard_sigmoid},
    MapRow{"aten.mish", "Mish", same<ops::Mish>},
    MapRow{"aten.softsign", "Softsign", same<ops::Softsign>},
    MapRow{"aten.gelu", "Gelu", gelu},
    MapRow{"aten.silu", "Sigmoid Mul", silu},
    MapRow{"aten.log_sigmoid aten.log_sigmoid_forward", "Neg Softplus", log_sigmoid},
    MapRow{"aten.softplus", "Softplus Greater Where", softplus},
    MapRow{"aten.elu", "Elu", elu},
    MapRow{"aten.celu", "Celu", celu},
    MapRow{"aten.selu", "Selu", selu},
    MapRow{"aten.leaky_relu", "LeakyRelu", leaky_relu},
    MapRow{.names = "aten.rrelu", .ops = "LeakyRelu", .rewrite = rrelu, .limits = "training"},
    MapRow{"aten.prelu aten._prelu_kernel", "PRelu", prelu},
    MapRow{"aten.threshold", "Greater Where", threshold},
    MapRow{"aten.hardshrink", "Shrink", hardshrink},
    MapRow{"aten.softshrink", "Shrink", softshrink},
    MapRow{"aten.glu", "Split Sigmoid Mul", glu},
    MapRow{.names = "aten.dropout aten.feature_dropout aten.alpha_dropout aten.feature_alpha_dropout",
           .ops = "nothing",
           .rewrite = dropout,
           .limits = "training"},
    MapRow{"aten.softmax aten._softmax aten._safe_softmax", "Softmax", softmax<ops::Softmax>},
    MapRow{"aten.softmin", "Neg Softmax", softmax<ops::Softmax, true>},
    MapRow{"aten.log_softmax aten._log_softmax", "LogSoftmax", softmax<ops::LogSoftmax>},
};

}  // namespace

std::span<const MapRow> activation_rows() { return activation_table; }

}  // namespace quern::torch_format
