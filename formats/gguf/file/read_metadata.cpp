#include "formats/gguf/file/read_metadata.h"

#include "formats/gguf/file/byte_order.h"
#include "formats/gguf/file/layout.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

std::string key(Cursor& cursor) {
    const uint64_t at = cursor.at();
    const Bytes name = cursor.text("the key", key_name_limit);
    if (name.empty()) throw bad_input("byte {}: the key is empty", at);
    if (!std::ranges::all_of(name.text(), [](char c) { return c > ' ' && c <= '~'; }))
        throw bad_input("byte {}: the key \"{}\" has other characters than visible ASCII", at, escape(name.text()));
    return std::string(name.text());
}

ValueType value_type(Cursor& cursor, std::string_view field) {
    const uint64_t at = cursor.at();
    const auto type = cursor.number<uint32_t>(field);
    if (type >= value_type_rows().size()) throw bad_input("byte {}: {} is {}, need 0 to {}", at, field, type, value_type_rows().size() - 1);
    return static_cast<ValueType>(type);
}

void check_truths(const Bytes& truths, uint64_t at) {
    for (size_t i = 0; i < truths.size(); ++i)
        if (std::to_integer<int>(truths.data()[i]) > 1)
            throw bad_input("byte {}: a bool is {}, need 0 or 1", at + i, std::to_integer<int>(truths.data()[i]));
}

// As MetaValue has them: little endian.
Bytes strings(Cursor& cursor, uint64_t count) {
    const uint64_t start = cursor.at();
    std::vector<std::byte> turned;
    for (uint64_t i = 0; i < count; ++i) {
        const Bytes text = cursor.text("a string", text_limit);
        if (cursor.swapped()) append_text(turned, text.text());
    }
    if (cursor.swapped()) return Bytes::own(std::move(turned));
    return cursor.bytes().slice(start, cursor.at() - start);
}

Bytes numbers(Cursor& cursor, ValueType type, uint64_t count) {
    const uint64_t at = cursor.at();
    const size_t width = row_of(type).bytes;
    const Bytes stored = cursor.take(count * width, "the value");
    if (type == ValueType::boolean) check_truths(stored, at);
    return cursor.swapped() && width > 1 ? swapped_numbers(stored, width) : stored;
}

Bytes elements(Cursor& cursor, ValueType type, uint64_t count) {
    return type == ValueType::string ? strings(cursor, count) : numbers(cursor, type, count);
}

MetaValue array_value(Cursor& cursor) {
    const uint64_t start = cursor.at();
    MetaValue value;
    value.array = true;
    value.element = value_type(cursor, "the type of the elements");
    if (value.element == ValueType::array) throw bad_input("byte {}: is an array of arrays, which is not read", start);
    const uint64_t at = cursor.at();
    value.count = cursor.number<uint64_t>("the count of elements");
    const uint64_t least = value.element == ValueType::string ? sizeof(uint64_t) : row_of(value.element).bytes;
    if (value.count > cursor.left() / least)
        throw bad_input("byte {}: the count of elements is {}, which {} bytes cannot hold", at, value.count, cursor.left());
    if (value.count > array_limit)
        throw bad_input("byte {}: the count of elements is {}, at most {} are read", at, value.count, array_limit);
    value.data = elements(cursor, value.element, value.count);
    return value;
}

MetaValue any_value(Cursor& cursor) {
    const ValueType type = value_type(cursor, "the type of the value");
    if (type == ValueType::array) return array_value(cursor);
    return {type, false, 1, elements(cursor, type, 1)};
}

}  // namespace

void read_metadata(Cursor& cursor, uint64_t count, Metadata& metadata) {
    for (uint64_t i = 0; i < count; ++i) {
        std::string label = fmt::format("metadata {}", i);
        at_place([&] { return label; },
                 [&] {
                     const uint64_t at = cursor.at();
                     const std::string name = key(cursor);
                     label += fmt::format(" \"{}\"", escape(name.substr(0, 64)));
                     if (metadata.find(name)) throw bad_input("byte {}: the key is there already", at);
                     metadata.add(name, any_value(cursor));
                 });
    }
}

}  // namespace quern::gguf
