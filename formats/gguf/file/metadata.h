// The metadata of a GGUF file: keys with values of 13 types, in file order. Layout: ggml's page on GGUF.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern::gguf {

// By their numbers in files.
enum class ValueType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

struct ValueTypeRow {
    ValueType type;
    std::string_view name;  // as its page has it: "uint8"
    size_t bytes;           // of one number; 0: string, array
};
std::span<const ValueTypeRow> value_type_rows();
const ValueTypeRow& row_of(ValueType type);

// A number, a truth, a text, or an array of one of these. Arrays of arrays there are none.
struct MetaValue {
    ValueType element = ValueType::u8;  // never ValueType::array
    bool array = false;
    uint64_t count = 1;
    Bytes data;  // `count` elements, little endian, a string as 8 bytes of length and its characters: checked by whoever made it

    static MetaValue text(std::string_view text);
    static MetaValue texts(std::span<const std::string_view> texts);
    static MetaValue integer(ValueType type, int64_t number);  // also of ValueType::boolean, as 0 and 1; of u64: its bits
    static MetaValue real(ValueType type, double number);      // f32 or f64
    static MetaValue numbers(ValueType element, uint64_t count, Bytes little_endian);

    bool is_integer() const;  // its elements; truths count as 0 and 1
    bool is_real() const;
    // Element `i`. The value must be of such. An unsigned one above the range of int64 throws Exit::bad_input.
    int64_t integer_at(uint64_t i) const;
    double real_at(uint64_t i) const;  // also of integers
    std::vector<std::string_view> texts() const;
    std::string type_name() const;  // "uint32", "array of string"
};

// The bytes of a string in MetaValue::data.
void append_text(std::vector<std::byte>& to, std::string_view text);

bool operator==(const MetaValue& a, const MetaValue& b);  // of the same type and the same bytes

class Metadata {
   public:
    struct Entry {
        std::string key;
        MetaValue value;
    };
    bool add(std::string key, MetaValue value);  // false: it is there already
    std::span<const Entry> entries() const { return entries_; }
    const MetaValue* find(std::string_view key) const;  // nullptr: absent

    // The value of `key`; nothing, or an empty vector, if it is absent. Of another type: Exit::bad_input, naming the key, what it is and
    // what it has to be.
    std::optional<int64_t> integer(std::string_view key) const;  // of any integer type, or a truth
    std::optional<double> real(std::string_view key) const;      // of any number type
    std::optional<std::string> text(std::string_view key) const;
    std::optional<bool> boolean(std::string_view key) const;
    std::vector<int64_t> integers(std::string_view key) const;  // a scalar is an array of one
    std::vector<float> reals(std::string_view key) const;
    std::vector<std::string_view> texts(std::string_view key) const;  // they live as long as the file's bytes

   private:
    std::vector<Entry> entries_;
    std::unordered_map<std::string, size_t> index_;
};

}  // namespace quern::gguf
