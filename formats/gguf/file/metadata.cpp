#include "formats/gguf/file/metadata.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr std::array metadata_table{
    ValueTypeRow{ValueType::u8, "uint8", 1},    ValueTypeRow{ValueType::i8, "int8", 1},      ValueTypeRow{ValueType::u16, "uint16", 2},
    ValueTypeRow{ValueType::i16, "int16", 2},   ValueTypeRow{ValueType::u32, "uint32", 4},   ValueTypeRow{ValueType::i32, "int32", 4},
    ValueTypeRow{ValueType::f32, "float32", 4}, ValueTypeRow{ValueType::boolean, "bool", 1}, ValueTypeRow{ValueType::string, "string", 0},
    ValueTypeRow{ValueType::array, "array", 0}, ValueTypeRow{ValueType::u64, "uint64", 8},   ValueTypeRow{ValueType::i64, "int64", 8},
    ValueTypeRow{ValueType::f64, "float64", 8},
};

template <class T>
T element(const MetaValue& value, uint64_t i) {
    T number;
    std::memcpy(&number, value.data.data() + i * sizeof(T), sizeof number);
    return number;
}

template <class T>
Bytes bytes_of(T number) {
    return Bytes::copy(&number, sizeof number);
}

int64_t signed_of(uint64_t number) {
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) throw bad_input("{} is larger than int64 holds", number);
    return static_cast<int64_t>(number);
}

Bytes text_bytes(std::span<const std::string_view> texts) {
    std::vector<std::byte> data;
    for (const std::string_view text : texts) append_text(data, text);
    return Bytes::own(std::move(data));
}

bool is_text(const MetaValue& value) { return value.element == ValueType::string; }

}  // namespace

void append_text(std::vector<std::byte>& to, std::string_view text) {
    const uint64_t length = text.size();
    const auto* head = reinterpret_cast<const std::byte*>(&length);
    const auto* body = reinterpret_cast<const std::byte*>(text.data());
    to.insert(to.end(), head, head + sizeof length);
    to.insert(to.end(), body, body + text.size());
}

std::span<const ValueTypeRow> value_type_rows() { return metadata_table; }
const ValueTypeRow& row_of(ValueType type) { return metadata_table.at(static_cast<size_t>(type)); }

MetaValue MetaValue::text(std::string_view text) { return {ValueType::string, false, 1, text_bytes({&text, 1})}; }

MetaValue MetaValue::texts(std::span<const std::string_view> texts) { return {ValueType::string, true, texts.size(), text_bytes(texts)}; }

MetaValue MetaValue::integer(ValueType type, int64_t number) {
    // The lowest bytes of a number are first.
    return {type, false, 1, Bytes::copy(&number, row_of(type).bytes)};
}

MetaValue MetaValue::real(ValueType type, double number) {
    return {type, false, 1, type == ValueType::f32 ? bytes_of(static_cast<float>(number)) : bytes_of(number)};
}

MetaValue MetaValue::numbers(ValueType element, uint64_t count, Bytes little_endian) {
    return {element, true, count, std::move(little_endian)};
}

bool MetaValue::is_integer() const { return !is_text(*this) && !is_real(); }
bool MetaValue::is_real() const { return element == ValueType::f32 || element == ValueType::f64; }

int64_t MetaValue::integer_at(uint64_t i) const {
    switch (element) {
        case ValueType::u8:
        case ValueType::boolean: return gguf::element<uint8_t>(*this, i);
        case ValueType::i8: return gguf::element<int8_t>(*this, i);
        case ValueType::u16: return gguf::element<uint16_t>(*this, i);
        case ValueType::i16: return gguf::element<int16_t>(*this, i);
        case ValueType::u32: return gguf::element<uint32_t>(*this, i);
        case ValueType::i32: return gguf::element<int32_t>(*this, i);
        case ValueType::u64: return signed_of(gguf::element<uint64_t>(*this, i));
        case ValueType::i64: return gguf::element<int64_t>(*this, i);
        default: throw bug("integer of {}", type_name());
    }
}

double MetaValue::real_at(uint64_t i) const {
    if (element == ValueType::f32) return gguf::element<float>(*this, i);
    if (element == ValueType::f64) return gguf::element<double>(*this, i);
    if (element == ValueType::u64) return static_cast<double>(gguf::element<uint64_t>(*this, i));
    return static_cast<double>(integer_at(i));
}

std::vector<std::string_view> MetaValue::texts() const {
    std::vector<std::string_view> texts;
    texts.reserve(count);
    const std::string_view all = data.text();
    for (size_t at = 0; texts.size() < count;) {
        uint64_t length = 0;
        std::memcpy(&length, all.data() + at, sizeof length);
        texts.push_back(all.substr(at + sizeof length, length));
        at += sizeof length + length;
    }
    return texts;
}

std::string MetaValue::type_name() const {
    const std::string_view name = row_of(element).name;
    return array ? fmt::format("array of {}", name) : std::string(name);
}

bool operator==(const MetaValue& a, const MetaValue& b) {
    return a.element == b.element && a.array == b.array && a.count == b.count && a.data.text() == b.data.text();
}

bool Metadata::add(std::string key, MetaValue value) {
    if (!index_.emplace(key, entries_.size()).second) return false;
    entries_.push_back({std::move(key), std::move(value)});
    return true;
}

const MetaValue* Metadata::find(std::string_view key) const {
    const auto found = index_.find(std::string(key));
    return found == index_.end() ? nullptr : &entries_[found->second].value;
}

namespace {

bool is_number(const MetaValue& value) { return !is_text(value); }
bool is_whole(const MetaValue& value) { return value.is_integer(); }

const MetaValue* checked(const Metadata& metadata, std::string_view key, bool array_allowed, bool (*is)(const MetaValue&),
                         std::string_view need) {
    const MetaValue* value = metadata.find(key);
    if (value && (!is(*value) || (value->array && !array_allowed)))
        throw bad_input("metadata \"{}\" is {}, need {}", escape(key), value->type_name(), need);
    return value;
}

template <class T, class Get>
std::optional<T> first(const MetaValue* value, std::string_view key, const Get& get) {
    if (!value) return std::nullopt;
    return at_place([&] { return fmt::format("metadata \"{}\"", escape(key)); }, [&]() -> T { return get(*value, 0); });
}

template <class T, class Get>
std::vector<T> all(const MetaValue* value, std::string_view key, const Get& get) {
    std::vector<T> numbers;
    if (!value) return numbers;
    numbers.reserve(value->count);
    at_place([&] { return fmt::format("metadata \"{}\"", escape(key)); },
             [&] {
                 for (uint64_t i = 0; i < value->count; ++i) numbers.push_back(get(*value, i));
             });
    return numbers;
}

int64_t get_integer(const MetaValue& value, uint64_t i) { return value.integer_at(i); }
double get_real(const MetaValue& value, uint64_t i) { return value.real_at(i); }
float get_float(const MetaValue& value, uint64_t i) { return static_cast<float>(value.real_at(i)); }

}  // namespace

std::optional<int64_t> Metadata::integer(std::string_view key) const {
    return first<int64_t>(checked(*this, key, false, is_whole, "an integer"), key, get_integer);
}

std::optional<double> Metadata::real(std::string_view key) const {
    return first<double>(checked(*this, key, false, is_number, "a number"), key, get_real);
}

std::optional<std::string> Metadata::text(std::string_view key) const {
    const MetaValue* value = checked(*this, key, false, is_text, "a string");
    if (!value) return std::nullopt;
    return std::string(value->texts().front());
}

std::optional<bool> Metadata::boolean(std::string_view key) const {
    const auto is = [](const MetaValue& value) { return value.element == ValueType::boolean; };
    const MetaValue* value = checked(*this, key, false, is, "a bool");
    if (!value) return std::nullopt;
    return value->integer_at(0) != 0;
}

std::vector<int64_t> Metadata::integers(std::string_view key) const {
    return all<int64_t>(checked(*this, key, true, is_whole, "integers"), key, get_integer);
}

std::vector<float> Metadata::reals(std::string_view key) const {
    return all<float>(checked(*this, key, true, is_number, "numbers"), key, get_float);
}

std::vector<std::string_view> Metadata::texts(std::string_view key) const {
    const MetaValue* value = checked(*this, key, true, is_text, "strings");
    return value ? value->texts() : std::vector<std::string_view>{};
}

}  // namespace quern::gguf
