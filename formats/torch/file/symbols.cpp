#include "formats/torch/file/symbols.h"

#include <algorithm>
#include <charconv>

#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

Dim number_dim(std::string_view digits) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() && number >= 0 ? Dim::of(number) : Dim::unknown();
}

bool is_word(std::string_view text) {
    return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
           std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

}  // namespace

Dim dim_of(std::string_view expression) {
    const std::string_view text = trim(expression);
    constexpr std::string_view symbol = "Symbol('", integer = "Integer(";
    if (text.starts_with(symbol)) {
        const std::string_view name = text.substr(symbol.size(), text.find('\'', symbol.size()) - symbol.size());
        const bool alone = text.ends_with(')') && std::ranges::count(text, '(') == 1;
        return alone && is_word(name) ? Dim::named(std::string(name)) : Dim::unknown();
    }
    if (text.starts_with(integer) && text.ends_with(')')) return number_dim(text.substr(integer.size(), text.size() - integer.size() - 1));
    if (is_word(text)) return Dim::named(std::string(text));
    return number_dim(text);
}

}  // namespace quern::torch_format
