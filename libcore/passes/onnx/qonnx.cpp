#include "libcore/passes/onnx/qonnx.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/quantize.h"
#include "libcore/passes/recognise/fake_quantized.h"
#include "libcore/passes/recognise/rounded_steps.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

bool is_of_qonnx(const Op& op) { return op.domain == "qonnx.custom_op.general" || op.domain == "onnx.brevitas"; }

// A parameter of the node as float32, of any type of numbers.
Tensor need_parameter(const Graph& graph, const Node& node, size_t at, std::string_view what) {
    const auto tensor = parameter(graph, input_of(node, at));
    if (!tensor) throw unsupported("its {} is not a constant", what);
    if (!is_float(tensor->dtype) && !is_integer(tensor->dtype)) throw unsupported("its {} is not a number", what);
    return from_floats(DType::f32, tensor->dims, to_floats(*tensor));
}

bool attribute_is_set(const Node& node, std::string_view name, bool usual) {
    const auto found = node.attrs.find(name);
    if (found == node.attrs.end()) return usual;
    const auto* number = std::get_if<int64_t>(&found->second);
    if (!number) throw unsupported("{} is not a whole number", name);
    return *number != 0;
}

void need_nearest(const Node& node) {
    const auto found = node.attrs.find("rounding_mode");
    if (found == node.attrs.end()) return;
    const auto* text = std::get_if<std::string>(&found->second);
    std::string mode = text ? *text : "";
    std::ranges::transform(mode, mode.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    if (mode != "ROUND" && mode != "HALF_EVEN")
        throw unsupported("rounding_mode is \"{}\", and encodings round to the nearest (ROUND, HALF_EVEN)", escape(mode));
}

struct Codes {
    DType storage;
    int64_t least, most;
};

Codes codes_of_bits(const Graph& graph, const Node& node) {
    const Tensor width = need_parameter(graph, node, 3, "bit width");
    const float bits = width.count() == 1 ? to_floats(width)[0] : 0;
    if (!(bits >= 2 && bits <= 32) || bits != std::nearbyint(bits)) throw unsupported("its bit width is not one whole number from 2 to 32");
    const bool with_sign = attribute_is_set(node, "signed", true), narrow = attribute_is_set(node, "narrow", false);
    constexpr std::array signed_types{DType::i2, DType::i4, DType::i8, DType::i16, DType::i32},
        unsigned_types{DType::u2, DType::u4, DType::u8, DType::u16, DType::u32};
    const auto& types = with_sign ? signed_types : unsigned_types;
    const DType storage = *std::ranges::find_if(types, [&](DType type) { return static_cast<float>(bits_of(type)) >= bits; });
    const int64_t all = int64_t{1} << static_cast<int>(bits), less = narrow ? 1 : 0;
    if (with_sign) return {storage, -all / 2 + less, all / 2 - 1};
    return {storage, 0, all - 1 - less};
}

// Throws Exit::unsupported with the reason where an encoding cannot say it.
FakeQuantized read_quant(const Graph& graph, const Node& node) {
    if (!is_quant(*node.op)) throw unsupported("of this domain Quant and IntQuant alone are read, which become encodings");
    if (node.in.size() != 4 || node.out.size() != 1 || node.in[0] == ValueId::none || node.out[0] == ValueId::none)
        throw unsupported("it needs an input, a scale, a zero point and a bit width");
    need_nearest(node);
    const Codes codes = codes_of_bits(graph, node);
    const Value& x = graph.value(node.in[0]);
    if (x.enc || (x.type.dtype != DType::f32 && x.type.dtype != DType::none)) throw unsupported("its input is not plain float32");
    const Tensor scale = need_parameter(graph, node, 1, "scale"), zero = need_parameter(graph, node, 2, "zero point");
    if (!std::ranges::all_of(to_floats(scale), [](float s) { return std::isnormal(s) && s > 0; }))
        throw unsupported("a scale is not above 0");
    const auto is_code = [&](float z) {
        return z == std::nearbyint(z) && z >= static_cast<float>(codes.least) && z <= static_cast<float>(codes.most);
    };
    if (!std::ranges::all_of(to_floats(zero), is_code))
        throw unsupported("a zero point is not one of the codes {} to {}", codes.least, codes.most);
    if (bits_of(codes.storage) > 16 &&
        (codes.least >= 0 || !x.constant() || !std::ranges::all_of(to_floats(zero), [](float z) { return z == 0; })))
        throw unsupported("it has more than 16 bits, which only constants with a sign and without a zero point have");
    const auto encoding = encoding_along(x.type.shape, codes.storage, scale, zero);
    if (!encoding) throw unsupported("its scale and zero point are not one number each, nor one for each slice along an axis");
    FakeQuantized fake{node.in[0], ValueId::none, encoding->with_limits(codes.least, codes.most), {}};
    if (const auto real = graph.constant(fake.x)) fake.codes = quantize(*real, fake.encoding);
    if (!can_spell(fake)) throw unsupported("it has scales for channels of data, and fewer codes than {} has", name_of(codes.storage));
    return fake;
}

std::optional<FakeQuantized> quant_or(const Graph& graph, const Node& node, std::string& why) {
    try {
        return read_quant(graph, node);
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        why = error.message();
        return std::nullopt;
    }
}

}  // namespace

bool is_quant(const Op& op) { return is_of_qonnx(op) && (op.name == "Quant" || op.name == "IntQuant"); }

bool spell_quant(Graph& graph, NodeId id) {
    std::string why;
    const auto fake = quant_or(graph, graph.node(id), why);
    if (fake) spell_linear(graph, graph.node(id).out[0], *fake);
    return fake.has_value();
}

std::string why_kept(const Graph& graph, const Node& node) {
    std::string why;
    if (is_of_qonnx(*node.op)) quant_or(graph, node, why);
    return why;
}

}  // namespace quern
