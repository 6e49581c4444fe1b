#include "formats/gguf/file/metadata_json.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr std::string_view array_prefix = "array of ";

Json text_json(std::string_view text) {
    if (is_utf8(text)) return text;
    std::string hex;
    for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return {{"hex", std::move(hex)}};
}

Json real_json(const MetaValue& value, uint64_t i) {
    const double number = value.real_at(i);
    if (std::isfinite(number)) return number;
    if (value.element == ValueType::f64) return fmt::format("{:#018x}", std::bit_cast<uint64_t>(number));
    uint32_t bits = 0;
    std::memcpy(&bits, value.data.data() + i * sizeof bits, sizeof bits);  // through double, a NaN may become another
    return fmt::format("{:#010x}", bits);
}

uint64_t hex_number(std::string_view digits, const JsonView& json) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) json.fail("is not hexadecimal");
    return number;
}

std::string text_of(const JsonView& json) {
    if (!json.json().is_object()) return json.text();
    const JsonView member = json["hex"];
    const std::string& hex = member.text();
    if (hex.size() % 2 != 0) member.fail("is not pairs of hexadecimal digits");
    std::string text;
    for (size_t i = 0; i < hex.size(); i += 2) text += static_cast<char>(hex_number(std::string_view(hex).substr(i, 2), member));
    return text;
}

uint64_t real_bits(ValueType type, const JsonView& json) {
    if (json.json().is_string() && json.text().starts_with("0x")) return hex_number(std::string_view(json.text()).substr(2), json);
    if (type == ValueType::f64) return std::bit_cast<uint64_t>(json.real());
    return std::bit_cast<uint32_t>(static_cast<float>(json.real()));
}

struct Range {
    int64_t least, most;
};
Range range_of(ValueType type) {
    switch (type) {
        case ValueType::u8: return {0, 255};
        case ValueType::i8: return {-128, 127};
        case ValueType::u16: return {0, 65535};
        case ValueType::i16: return {-32768, 32767};
        case ValueType::u32: return {0, std::numeric_limits<uint32_t>::max()};
        case ValueType::i32: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
        default: return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    }
}

// The number's bits, the lowest first.
uint64_t number_bits(ValueType type, const JsonView& json) {
    if (type == ValueType::f32 || type == ValueType::f64) return real_bits(type, json);
    if (type == ValueType::boolean) return json.boolean() ? 1 : 0;
    if (type == ValueType::u64) return json.natural();
    const int64_t number = json.integer();
    const auto [least, most] = range_of(type);
    if (number < least || number > most) json.fail(fmt::format("is {}, need {} to {} for {}", number, least, most, row_of(type).name));
    return static_cast<uint64_t>(number);
}

Bytes numbers_of(ValueType type, std::span<const JsonView> items) {
    const size_t width = row_of(type).bytes;
    std::vector<std::byte> bytes(items.size() * width);
    for (size_t i = 0; i < items.size(); ++i) {
        const uint64_t bits = number_bits(type, items[i]);
        std::memcpy(bytes.data() + i * width, &bits, width);
    }
    return Bytes::own(std::move(bytes));
}

ValueType type_named(std::string_view name, const JsonView& json) {
    const auto row = std::ranges::find(value_type_rows(), name, &ValueTypeRow::name);
    if (row == value_type_rows().end() || row->type == ValueType::array)
        json.fail(fmt::format("is of type \"{}\", which is unknown", escape(name)));
    return row->type;
}

}  // namespace

Json number_json(const MetaValue& value, uint64_t i) {
    if (value.is_real()) return real_json(value, i);
    if (value.element == ValueType::boolean) return value.integer_at(i) != 0;
    if (value.element != ValueType::u64) return value.integer_at(i);
    uint64_t number = 0;
    std::memcpy(&number, value.data.data() + i * sizeof number, sizeof number);
    return number;
}

Json value_json(const MetaValue& value, uint64_t most) {
    Json items = Json::array();
    if (value.element == ValueType::string) {
        const auto texts = value.texts();
        for (size_t i = 0; i < std::min<uint64_t>(most, texts.size()); ++i) items.push_back(text_json(texts[i]));
    } else {
        for (uint64_t i = 0; i < std::min(most, value.count); ++i) items.push_back(number_json(value, i));
    }
    return value.array ? items : items.at(0);
}

MetaValue value_of_json(std::string_view type, const JsonView& json) {
    const bool array = type.starts_with(array_prefix);
    const ValueType element = type_named(array ? type.substr(array_prefix.size()) : type, json);
    std::vector<JsonView> items;
    if (!array) items.push_back(json);
    for (size_t i = 0; array && i < json.size(); ++i) items.push_back(json.at(i));
    if (element != ValueType::string) return {element, array, items.size(), numbers_of(element, items)};
    std::vector<std::byte> bytes;
    for (const JsonView& item : items) append_text(bytes, text_of(item));
    return {element, array, items.size(), Bytes::own(std::move(bytes))};
}

}  // namespace quern::gguf
