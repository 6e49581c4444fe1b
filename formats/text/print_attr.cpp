#include "formats/text/print_attr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "formats/text/syntax.h"
#include "libcore/base/text.h"
#include "libcore/blocks/block_format.h"

namespace quern::text {
namespace {

bool listed_as_numbers(const Tensor& t) {
    switch (t.dtype) {
        case DType::f32:
        case DType::f16:
        case DType::bf16: {
            const auto items = to_floats(t);
            return std::all_of(items.begin(), items.end(), [](float x) { return std::isfinite(x); });
        }
        case DType::f64: {
            const auto items = t.view<double>();
            return std::all_of(items.begin(), items.end(), [](double x) { return std::isfinite(x); });
        }
        case DType::u64: {
            const auto items = to_ints(t);
            return std::all_of(items.begin(), items.end(), [](int64_t x) { return x >= 0; });
        }
        case DType::boolean: {
            const auto bytes = t.data.span();
            return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b <= std::byte{1}; });
        }
        case DType::i2:
        case DType::u2:
        case DType::i4:
        case DType::u4: {  // only if the unused bits of the last byte are 0: nothing may be lost
            const auto items = to_ints(t);
            return identical(from_ints(t.dtype, t.dims, items), t);
        }
        default: return is_integer(t.dtype);
    }
}

std::vector<std::string> element_texts(const Tensor& t) {
    std::vector<std::string> out;
    const auto count = static_cast<size_t>(t.count());
    if (t.dtype == DType::string) {
        for (size_t i = 0; i < count; ++i) out.push_back(quoted(string_at(t, i)));
    } else if (t.dtype == DType::f64) {
        for (const double x : t.view<double>()) out.push_back(double_text(x));
    } else if (is_float(t.dtype)) {
        for (const float x : to_floats(t)) out.push_back(float_text(x));
    } else if (t.dtype == DType::boolean) {
        for (const int64_t x : to_ints(t)) out.emplace_back(x ? "true" : "false");
    } else {
        for (const int64_t x : to_ints(t)) out.push_back(fmt::format("{}", x));
    }
    return out;
}

// Elements from `at` on as nested lists of the shape.
std::string nested(std::span<const std::string> items, std::span<const int64_t> dims, size_t& at) {
    if (dims.empty()) return items[at++];
    std::string out = "[";
    for (int64_t i = 0; i < dims[0]; ++i) out += (i ? ", " : "") + nested(items, dims.subspan(1), at);
    return out + "]";
}

void hex_to(const Bytes& bytes, const TextSink& sink) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr size_t chunk = 4096;
    std::string text;
    for (size_t begin = 0; begin < bytes.size(); begin += chunk) {
        text.clear();
        for (const std::byte byte : bytes.span().subspan(begin, std::min(chunk, bytes.size() - begin))) {
            text += digits[static_cast<size_t>(byte) >> 4];
            text += digits[static_cast<size_t>(byte) & 15];
        }
        sink(text);
    }
}

template <class T, class Fn>
std::string list_text(const std::vector<T>& items, std::string_view empty, const Fn& spell) {
    if (items.empty()) return std::string(empty);
    std::string out = "[";
    for (size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + spell(items[i]);
    return out + "]";
}

std::string int_text(int64_t value) { return fmt::format("{}", value); }

}  // namespace

void AttrPrinter::tensor_to(const Tensor& t, const TextSink& sink) const {
    const std::string type = " : " + type_text(Type::tensor(t.dtype, Shape::of(t.dims)));
    const int64_t count = t.count();
    if (count == 0) {
        sink("dense<>" + type);
    } else if (t.dtype == DType::string || (count <= options_.numbers && listed_as_numbers(t))) {
        if (count > options_.numbers && options_.weights == TextWeights::elide) return sink(std::string(elided) + type);
        const auto items = element_texts(t);
        size_t at = 0;
        const bool splat = count > 1 && std::all_of(items.begin(), items.end(), [&](const auto& x) { return x == items[0]; });
        sink("dense<" + (splat ? items[0] : nested(items, t.dims, at)) + ">" + type);
    } else if (options_.weights == TextWeights::elide) {
        sink(std::string(elided) + type);
    } else if (options_.weights == TextWeights::file) {
        options_.side->pad_to(64);
        sink(fmt::format("#quern.file<{}, {}, {}>{}", quoted(options_.side_file), options_.side->position(), t.data.size(), type));
        options_.side->write(t.data);
    } else {
        sink("dense<\"0x");
        hex_to(t.data, sink);
        sink("\">" + type);
    }
    t.data.release();
}

std::string AttrPrinter::tensor_text(const Tensor& t) const {
    std::string out;
    tensor_to(t, [&](std::string_view part) { out += part; });
    return out;
}

std::string AttrPrinter::attr_text(const Attr& attr) const {
    struct Spell {
        const AttrPrinter& printer;
        std::string operator()(int64_t x) const { return fmt::format("{} : si64", x); }
        std::string operator()(float x) const { return float_text(x) + " : f32"; }
        std::string operator()(const std::string& x) const { return quoted(x); }
        std::string operator()(const std::vector<int64_t>& x) const { return list_text(x, "array<i64>", int_text); }
        std::string operator()(const std::vector<float>& x) const { return list_text(x, "array<f32>", float_text); }
        std::string operator()(const std::vector<std::string>& x) const {
            return list_text(x, "array<!onnx.String>", [](const std::string& s) { return quoted(s); });
        }
        std::string operator()(const Tensor& x) const { return printer.tensor_text(x); }
        std::string operator()(const std::vector<Tensor>& x) const {
            return list_text(x, "array<tensor>", [&](const Tensor& t) { return printer.tensor_text(t); });
        }
        std::string operator()(const Type& x) const { return type_text(x); }
    };
    return std::visit(Spell{*this}, attr);
}

std::string AttrPrinter::encoding_text(const Encoding& e) const {
    std::string out = "{";
    const auto add = [&](std::string_view key, const std::string& value) {
        out += (out.size() > 1 ? ", " : "") + std::string(key) + " = " + value;
    };
    if (e.format) {
        add("format", fmt::format("\"{}\"", e.format->name));
        add("axis", int_text(e.axis));
        return out + "}";
    }
    if (e.is_dynamic()) add("kind", "\"dynamic\"");
    add("storage", std::string(row_of(e.storage).mlir));
    if (e.real != DType::f32) add("real", std::string(row_of(e.real).mlir));
    add("qmin", int_text(e.qmin));
    add("qmax", int_text(e.qmax));
    if (e.axis != -1) add("axis", int_text(e.axis));
    if (e.block != 0) add("block", int_text(e.block));
    if (e.scale.defined()) add("scale", tensor_text(e.scale));
    if (e.zero.defined()) add("zero", tensor_text(e.zero));
    if (e.min.defined()) add("min", tensor_text(e.min));
    return out + "}";
}

void AttrPrinter::value_attrs(const Graph& graph, std::span<const ValueId> values, AttrTexts& to) const {
    std::string encodings, permutations;
    bool any_encoding = false, any_permutation = false;
    for (const ValueId id : values) {
        const Value* value = id == ValueId::none ? nullptr : &graph.value(id);
        const bool encoded = value && value->enc, permuted = value && !value->permutation.empty();
        any_encoding |= encoded;
        any_permutation |= permuted;
        encodings += (encodings.empty() ? "" : ", ") + (encoded ? encoding_text(*value->enc) : std::string("unit"));
        permutations +=
            fmt::format("{}[{}]", permutations.empty() ? "" : ", ", permuted ? fmt::format("{}", fmt::join(value->permutation, ", ")) : "");
    }
    if (any_encoding) to[std::string(attr_encoding)] = "[" + encodings + "]";
    if (any_permutation) to[std::string(attr_permutation)] = "[" + permutations + "]";
}

AttrTexts AttrPrinter::node_attrs(const Graph& graph, const Node& node) const {
    AttrTexts out;
    const auto ours = [&](std::string_view key, std::string value) { out[std::string(key)] = std::move(value); };
    for (const auto& [name, attr] : node.attrs) out[reserved(name) ? std::string(attr_escape) + name : name] = attr_text(attr);
    if (!node.device.empty()) ours(attr_device, quoted(node.device));
    const std::string full = op_name(*node.op);
    if (!node.name.empty() || full == op_constant) ours(attr_node_name, quoted(node.name));
    if (!node.scope.empty()) ours(attr_scope, quoted(node.scope));
    if (find_op(node.op->name, node.op->domain) != node.op) ours(attr_version, fmt::format("{} : si64", node.op->version));
    const OpName implied = split_op_name(full);
    if (implied.domain != node.op->domain || implied.name != node.op->name) ours(attr_domain, quoted(node.op->domain));
    if (node.body_names != body_names(*node.op)) {
        ours(attr_bodies, list_text(node.body_names, "array<!onnx.String>", [](const std::string& s) { return quoted(s); }));
        if (node.body_names.empty()) out.erase(std::string(attr_bodies));
    }
    AttrTexts internal;
    for (const auto& [name, encoding] : node.internal) internal[name] = encoding_text(encoding);
    if (!internal.empty()) ours(attr_internal, braces(internal));
    value_attrs(graph, node.out, out);
    return out;
}

std::string braces(const AttrTexts& attrs) {
    std::string out = "{";
    for (const auto& [name, text] : attrs) out += (out.size() > 1 ? ", " : "") + key_name(name) + " = " + text;
    return out + "}";
}

}  // namespace quern::text
