#include "libcore/codegen/cpp/literal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "libcore/base/text.h"
#include "libcore/codegen/c/source.h"

namespace quern::cppgen {
namespace {

std::string integer(int64_t x) {
    return x == INT64_MIN ? "INT64_MIN" : std::abs(x) > INT32_MAX ? fmt::format("{}LL", x) : fmt::format("{}", x);
}

std::string real(float x) {
    return std::isfinite(x) ? cgen::c_float(x) : x != x ? "__builtin_nanf(\"\")" : x > 0 ? "__builtin_inff()" : "-__builtin_inff()";
}

template <class T, class Fn>
std::string list(const std::vector<T>& items, const Fn& fn) {
    std::vector<std::string> texts;
    for (const T& item : items) texts.push_back(fn(item));
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

}  // namespace

std::string literal(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '?';
        out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out + "\"";
}

std::string type_text(const Type& type) {
    if (type.kind != Type::Kind::tensor) return fmt::format("Type({}, {})", static_cast<int>(type.kind), type_text(*type.element));
    const std::string dtype = type.dtype == DType::none ? "\"\"" : fmt::format("\"{}\"", name_of(type.dtype));
    if (!type.shape.ranked) return fmt::format("Type({})", dtype);
    return fmt::format("Type({}, {})", dtype, list(type.shape.dims, [](const Dim& dim) {
                           if (dim.known()) return integer(dim.value);
                           return dim.symbol.empty() ? std::string("-1") : fmt::format("{}", literal(dim.symbol));
                       }));
}

std::string constant_text(const Tensor& tensor, Weights& weights) {
    return fmt::format("Constant(\"{}\", {}, {}, {})", name_of(tensor.dtype), list(tensor.dims, integer), weights.place(tensor.data),
                       tensor.data.size());
}

std::string encoding_text(const Encoding& e, Weights& weights) {
    std::string out = fmt::format("Encoding(\"{}\", {}, {})", name_of(e.storage), integer(e.qmin), integer(e.qmax));
    if (e.real != DType::f32) out += fmt::format(".real(\"{}\")", e.real == DType::none ? "" : name_of(e.real));
    if (e.is_dynamic()) out += ".dynamic()";
    if (!e.per_tensor() || e.block != 0) out += fmt::format(".axis({}, {})", e.axis, e.block);
    if (e.scale.defined()) out += fmt::format(".scale({})", constant_text(e.scale, weights));
    if (e.zero.defined()) out += fmt::format(".zero({})", constant_text(e.zero, weights));
    if (e.min.defined()) out += fmt::format(".min({})", constant_text(e.min, weights));
    return out;
}

std::string attribute_text(const std::string& name, const Attr& attr, Weights& weights) {
    struct Text {
        Weights& weights;
        std::pair<std::string, std::string> operator()(int64_t x) const { return {"integer", integer(x)}; }
        std::pair<std::string, std::string> operator()(float x) const { return {"real", real(x)}; }
        std::pair<std::string, std::string> operator()(const std::string& x) const { return {"text", literal(x)}; }
        std::pair<std::string, std::string> operator()(const std::vector<int64_t>& x) const { return {"integers", list(x, integer)}; }
        std::pair<std::string, std::string> operator()(const std::vector<float>& x) const { return {"reals", list(x, real)}; }
        std::pair<std::string, std::string> operator()(const std::vector<std::string>& x) const { return {"texts", list(x, literal)}; }
        std::pair<std::string, std::string> operator()(const Tensor& x) const { return {"constant", constant_text(x, weights)}; }
        std::pair<std::string, std::string> operator()(const std::vector<Tensor>& x) const {
            return {"constants", list(x, [&](const Tensor& tensor) { return constant_text(tensor, weights); })};
        }
        std::pair<std::string, std::string> operator()(const Type& x) const { return {"type", type_text(x)}; }
    };
    const auto [kind, text] = std::visit(Text{weights}, attr);
    return fmt::format(".{}({}, {})", kind, literal(name), text);
}

}  // namespace quern::cppgen
