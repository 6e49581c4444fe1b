#include "formats/text/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>

#include "libcore/base/text.h"

namespace quern::text {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '-'; }

std::string dim_text(const Dim& dim) {
    if (dim.known()) return fmt::format("{}", dim.value);
    if (dim.symbol.empty()) return "?";
    const bool bare = std::all_of(dim.symbol.begin(), dim.symbol.end(), is_word);
    return "?{" + (bare ? dim.symbol : quoted(dim.symbol)) + "}";
}

template <class T>
std::string pointed(T value) {
    std::string out = shortest(value);
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}

}  // namespace

bool reserved(std::string_view attr) { return attr == attr_device || attr == attr_node_name || attr.starts_with("quern."); }

bool is_bare(std::string_view name) {
    if (name.empty()) return false;
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    if (digit(name[0])) return std::all_of(name.begin(), name.end(), digit);
    return name[0] != '-' && name[0] != '.' && std::all_of(name.begin(), name.end(), is_word);
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        size_t length = 1;
        while (i + length < text.size() && (static_cast<unsigned char>(text[i + length]) & 0xc0) == 0x80) ++length;
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
            length = 1;
        } else if (const std::string_view one = text.substr(i, length); static_cast<unsigned char>(c) >= 0x80 && printable(one) == one) {
            out += one;
        } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
            out += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
            length = 1;
        } else {
            out += c;
            length = 1;
        }
        i += length;
    }
    return out + "\"";
}

std::string value_name(std::string_view name) { return "%" + (is_bare(name) ? std::string(name) : quoted(name)); }

std::string key_name(std::string_view name) {
    const bool plain = is_bare(name) && !std::isdigit(static_cast<unsigned char>(name[0])) && name.find('-') == std::string_view::npos;
    return plain ? std::string(name) : quoted(name);
}

std::string type_text(const Type& type) {
    if (type.kind != Type::Kind::tensor) {
        const std::string inner = type.element ? type_text(*type.element) : "none";
        return (type.kind == Type::Kind::sequence ? "!onnx.Seq<" : "!onnx.Opt<") + inner + ">";
    }
    std::string out = "tensor<";
    if (!type.shape.ranked) out += "*x";
    for (const Dim& dim : type.shape.dims) out += dim_text(dim) + "x";
    return out + std::string(row_of(type.dtype).mlir) + ">";
}

std::string float_text(float value) {
    return std::isfinite(value) ? pointed(value) : fmt::format("0x{:08X}", std::bit_cast<uint32_t>(value));
}

std::string double_text(double value) {
    return std::isfinite(value) ? pointed(value) : fmt::format("0x{:016X}", std::bit_cast<uint64_t>(value));
}

std::string op_name(const Op& op) { return fmt::format("{}.{}", op.domain.empty() ? "onnx" : op.domain, op.name); }

OpName split_op_name(std::string_view full) {
    const size_t dot = full.rfind('.');
    if (dot == std::string_view::npos) return {"", full};
    const std::string_view domain = full.substr(0, dot);
    return {domain == "onnx" ? std::string_view() : domain, full.substr(dot + 1)};
}

std::vector<std::string> body_names(const Op& op) {
    std::vector<std::string> names;
    for (const AttrDef& def : op.attrs)
        if (def.kind == AttrKind::graph) names.emplace_back(def.name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace quern::text
