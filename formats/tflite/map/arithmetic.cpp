// Elementwise operators.
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

bool not_equal(Site& site) {
    site.result(ops::Not, {site.node(ops::Equal, site.ins())});
    return true;
}

bool rsqrt(Site& site) {
    site.result(ops::Reciprocal, {site.node(ops::Sqrt, site.ins())});
    return true;
}

bool square(Site& site) {
    const ValueId x = site.in(0);
    site.result(ops::Mul, {x, x});
    return true;
}

bool squared_difference(Site& site) {
    const ValueId difference = site.node(ops::Sub, site.ins());
    site.result(ops::Mul, {difference, difference});
    return true;
}

// 16-bit codes may be meant for an older arithmetic.
Attrs sum_attrs(Site& site) {
    const auto encoding = encoding_of(site.tensor(0), site.scope().from);
    if (!encoding || encoding->storage != DType::i16 || site.integer(powers_key, 1) == 0) return {};
    return {{powers_key, int64_t{1}}};
}
bool add(Site& site) {
    site.result(ops::Add, site.ins(), sum_attrs(site));
    return true;
}
bool sub(Site& site) {
    site.result(ops::Sub, site.ins(), sum_attrs(site));
    return true;
}

bool leaky_relu(Site& site) {
    site.result(ops::LeakyRelu, {site.in(0)}, {{"alpha", site.real("alpha")}});
    return true;
}

bool gelu(Site& site) {
    site.result(ops::Gelu, {site.in(0)}, {{"approximate", std::string(site.flag("approximate") ? "tanh" : "none")}});
    return true;
}

template <int low, int high>
bool clip(Site& site) {
    const DType dtype = site.dtype(0);
    site.result(ops::Clip, {site.in(0), site.number("min", low, dtype), site.number("max", high, dtype)});
    return true;
}

// Scale and zero point of codes as ONNX's operators have them; nullopt: other than codes of 8 or 16 bits with one scale.
std::optional<std::array<ValueId, 2>> parameters(Site& site, const Encoding& encoding, std::string_view what) {
    const bool plain = encoding.plain_integer(16) && bits_of(encoding.storage) >= 8;
    if (!plain || to_floats(encoding.scale).size() != 1 || to_floats(encoding.scale)[0] <= 0) return std::nullopt;
    const std::array zero{encoding.zero_at()};
    return std::array{site.constant(fmt::format("{}_scale", what), from_floats(DType::f32, {}, to_floats(encoding.scale))),
                      site.constant(fmt::format("{}_zero", what), from_ints(encoding.storage, {}, zero))};
}

// Of codes the operator casts the codes themselves, and codes are what it makes.
bool cast(Site& site) {
    const auto from = encoding_of(site.tensor(0), site.scope().from), made = encoding_of(site.out_tensor(), site.scope().from);
    const DType to = made ? made->storage : type_of(site.out_tensor()).dtype;
    if (to == DType::none) return false;
    if (!from && !made) {
        site.result(ops::Cast, {site.in(0)}, {{"to", onnx_type(to)}});
        return true;
    }
    std::optional<std::array<ValueId, 2>> in, out;
    if ((from && !(in = parameters(site, *from, "in"))) || (made && !(out = parameters(site, *made, "out")))) return false;
    const ValueId codes = from ? site.node(ops::QuantizeLinear, {site.in(0), (*in)[0], (*in)[1]}) : site.in(0);
    if (made)
        site.result(ops::DequantizeLinear, {site.node(ops::Cast, {codes}, {{"to", onnx_type(to)}}), (*out)[0], (*out)[1]});
    else
        site.result(ops::Cast, {codes}, {{"to", onnx_type(to)}});
    return true;
}

// A change of encoding; a constant of float16 becomes float32 as it is, where import.cpp has not made it one.
bool recode(Site& site) {
    const DType from = site.dtype(0), to = type_of(site.out_tensor()).dtype;
    if (from == to)
        site.result(ops::own::Recode, {site.in(0)});
    else
        site.result(ops::Cast, {site.in(0)}, {{"to", onnx_type(to)}});
    return true;
}

// Rounded down for integers, too, where Div cuts off: the remainder has the sign of the divisor.
bool floor_div(Site& site) {
    const ValueId a = site.in(0), b = site.in(1);
    if (is_float(site.dtype(0)))
        site.result(ops::Floor, {site.node(ops::Div, {a, b})});
    else
        site.result(ops::Div, {site.node(ops::Sub, {a, site.node(ops::Mod, {a, b})}), b});
    return true;
}

// The remainder has the sign of the divisor; of floats, fmod has that of the dividend.
bool floor_mod(Site& site) {
    const ValueId a = site.in(0), b = site.in(1);
    if (!is_float(site.dtype(0))) {
        site.result(ops::Mod, {a, b});
        return true;
    }
    const ValueId rest = site.node(ops::Mod, {a, b}, {{"fmod", int64_t{1}}}), zero = site.number("zero", 0, site.dtype(0));
    const ValueId differs = site.node(ops::Xor, {site.node(ops::Less, {rest, zero}), site.node(ops::Less, {b, zero})});
    const ValueId some = site.node(ops::Not, {site.node(ops::Equal, {rest, zero})});
    site.result(ops::Where, {site.node(ops::And, {differs, some}), site.node(ops::Add, {rest, b}), rest});
    return true;
}

// Arithmetic for signed numbers, where ONNX shifts in zeros.
bool right_shift(Site& site) {
    if (kind_of(site.dtype(0)) != NumberKind::unsigned_int) return false;
    site.result(ops::BitShift, site.ins(), {{"direction", std::string("RIGHT")}});
    return true;
}

bool fill(Site& site) {
    site.result(ops::Expand, {site.in(1), site.as_i64(0)});
    return true;
}

bool zeros_like(Site& site) {
    const ValueId zero = site.number("zero", 0, site.dtype(0));
    if (const auto enc = encoding_of(site.out_tensor(), site.scope().from); enc && enc->per_tensor()) {
        Value& value = site.graph().value(zero);
        value.data = quantize(*site.graph().constant(zero), *enc).data;
        value.enc = enc;
    }
    site.result(ops::Expand, {zero, site.node(ops::Shape, {site.in(0)})});
    return true;
}

// Circle's: feature i of the first half of the last dim and feature i of the second turn by the angle of their tables.
bool rope(Site& site) {
    if (site.word("mode", "GPT_NEOX") != "GPT_NEOX" || site.in_count() != 3) return false;
    const ValueId x = site.in(0), low = site.value("low"), high = site.value("high");
    site.add(ops::Split, {x}, {low, high}, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}});
    const ValueId turned = site.node(ops::Concat, {site.node(ops::Neg, {high}), low}, {{"axis", int64_t{-1}}});
    site.result(ops::Add, {site.node(ops::Mul, {x, site.in(2)}), site.node(ops::Mul, {turned, site.in(1)})});
    return true;
}

constexpr std::array arithmetic_table{
    MapRow{Code::ADD, "Add", add},
    MapRow{Code::ADD_N, "Sum"},
    MapRow{Code::CAST, "QuantizeLinear Cast DequantizeLinear", cast, "codes with several scales, of 4 or 32 bits"},
    MapRow{Code::DEQUANTIZE, "Recode Cast", recode},
    MapRow{Code::FILL, "Expand", fill},
    MapRow{Code::FLOOR_DIV, "Floor Div", floor_div},
    MapRow{Code::FLOOR_MOD, "Mod", floor_mod},
    MapRow{Code::GELU, "Gelu", gelu},
    MapRow{Code::LEAKY_RELU, "LeakyRelu", leaky_relu},
    MapRow{Code::MAXIMUM, "Max"},
    MapRow{Code::MINIMUM, "Min"},
    MapRow{Code::NOT_EQUAL, "Equal Not", not_equal},
    MapRow{Code::QUANTIZE, "Recode Cast", recode},
    MapRow{Code::RELU6, "Clip", clip<0, 6>},
    MapRow{Code::RELU_0_TO_1, "Clip", clip<0, 1>},
    MapRow{Code::RELU_N1_TO_1, "Clip", clip<-1, 1>},
    MapRow{Code::RIGHT_SHIFT, "BitShift", right_shift, "signed numbers"},
    MapRow{Code::ROPE, "Split Neg Concat Mul Add", rope, "GPT-J's order"},
    MapRow{Code::RSQRT, "Sqrt Reciprocal", rsqrt},
    MapRow{Code::STABLEHLO_RSQRT, "Sqrt Reciprocal", rsqrt},
    MapRow{Code::SQUARE, "Mul", square},
    MapRow{Code::SQUARED_DIFFERENCE, "Sub Mul", squared_difference},
    MapRow{Code::SUB, "Sub", sub},
    MapRow{Code::ZEROS_LIKE, "Shape Expand", zeros_like},
};

}  // namespace

std::span<const MapRow> arithmetic_rows() { return arithmetic_table; }

}  // namespace quern::tflite_format
