// Elementwise operators.
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

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

// Scale and zero point of codes as ONNX's operators have them; nullopt: other than codes of 8 or 16 bits with one scale.
std::optional<std::array<ValueId, 2>> parameters(Site& site, const Encoding& encoding, std::string_view what) {
    const bool plain = encoding.plain_integer(16) && bits_of(encoding.storage) >= 8;
    if (!plain || to_floats(encoding.scale).size() != 1 || to_floats(encoding.scale)[0] <= 0) return std::nullopt;
    const std::array zero{encoding.zero_at()};
    return std::array{site.constant(from_floats(DType::f32, {}, to_floats(encoding.scale)), fmt::format("{}_scale", what)),
                      site.constant(from_ints(encoding.storage, {}, zero), fmt::format("{}_zero", what))};
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
    const ValueId codes = from ? site.add(ops::QuantizeLinear, {site.in(0), (*in)[0], (*in)[1]}) : site.in(0);
    if (made)
        site.result(ops::DequantizeLinear, {site.add(ops::Cast, {codes}, {{"to", onnx_type(to)}}), (*out)[0], (*out)[1]});
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
    const ValueId zero = site.scalar(0, site.dtype(0), "zero");
    if (const auto enc = encoding_of(site.out_tensor(), site.scope().from); enc && enc->per_tensor()) {
        Value& value = site.graph().value(zero);
        value.data = quantize(*site.graph().constant(zero), *enc).data;
        value.enc = enc;
    }
    site.result(ops::Expand, {zero, site.add(ops::Shape, {site.in(0)})});
    return true;
}

// Circle's: feature i of the first half of the last dim and feature i of the second turn by the angle of their tables.
bool rope(Site& site) {
    if (site.word("mode", "GPT_NEOX") != "GPT_NEOX" || site.in_count() != 3) return false;
    const ValueId x = site.in(0), low = site.value("low"), high = site.value("high");
    site.put(ops::Split, {x}, {low, high}, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}});
    const ValueId turned = site.add(ops::Concat, {site.add(ops::Neg, {high}), low}, {{"axis", int64_t{-1}}});
    site.result(ops::Add, {site.add(ops::Mul, {x, site.in(2)}), site.add(ops::Mul, {turned, site.in(1)})});
    return true;
}

constexpr std::array arithmetic_table{
    MapRow{Code::ADD, "Add", add},
    as_it_is(Code::ADD_N, ops::Sum),
    MapRow{Code::CAST, "QuantizeLinear Cast DequantizeLinear", cast, "codes with several scales, of 4 or 32 bits"},
    MapRow{Code::DEQUANTIZE, "Recode Cast", recode},
    MapRow{Code::FILL, "Expand", fill},
    MapRow{Code::FLOOR_DIV, "Floor Div", decompose::composed<decompose::floor_quotient>},
    MapRow{Code::FLOOR_MOD, "Mod", decompose::composed<decompose::floor_remainder>},
    MapRow{Code::GELU, "Gelu", gelu},
    MapRow{Code::LEAKY_RELU, "LeakyRelu", leaky_relu},
    as_it_is(Code::MAXIMUM, ops::Max),
    as_it_is(Code::MINIMUM, ops::Min),
    MapRow{Code::NOT_EQUAL, "Equal Not", decompose::composed<decompose::not_equal>},
    MapRow{Code::QUANTIZE, "Recode Cast", recode},
    MapRow{Code::RELU6, "Clip", decompose::composed<decompose::between<0, 6>>},
    MapRow{Code::RELU_0_TO_1, "Clip", decompose::composed<decompose::between<0, 1>>},
    MapRow{Code::RELU_N1_TO_1, "Clip", decompose::composed<decompose::between<-1, 1>>},
    MapRow{Code::RIGHT_SHIFT, "BitShift", right_shift, "signed numbers"},
    MapRow{Code::ROPE, "Split Neg Concat Mul Add", rope, "GPT-J's order"},
    MapRow{Code::RSQRT, "Sqrt Reciprocal", decompose::composed<decompose::reciprocal_root>},
    MapRow{Code::STABLEHLO_RSQRT, "Sqrt Reciprocal", decompose::composed<decompose::reciprocal_root>},
    MapRow{Code::SQUARE, "Mul", decompose::composed<decompose::square>},
    MapRow{Code::SQUARED_DIFFERENCE, "Sub Mul", decompose::composed<decompose::squared_difference>},
    MapRow{Code::SUB, "Sub", sub},
    MapRow{Code::ZEROS_LIKE, "Shape Expand", zeros_like},
};

}  // namespace

std::span<const MapRow> arithmetic_rows() { return arithmetic_table; }

}  // namespace quern::tflite_format
