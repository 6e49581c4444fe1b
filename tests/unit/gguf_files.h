// GGUF files for tests, field by field, so that any of them can be wrong.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf/file/open.h"
#include "libcore/base/error.h"

namespace quern::test {

using gguf::ValueType;

class GgufFile {
   public:
    std::string bytes = {};
    bool big_endian = false;

    template <class T>
    GgufFile& number(T number) {
        std::array<char, sizeof(T)> raw;
        std::memcpy(raw.data(), &number, sizeof number);
        if (big_endian) std::ranges::reverse(raw);
        bytes.append(raw.data(), raw.size());
        return *this;
    }
    GgufFile& text(std::string_view text) {
        number(uint64_t{text.size()});
        bytes += text;
        return *this;
    }
    // 24 bytes.
    GgufFile& header(uint64_t tensors, uint64_t keys, uint32_t version = 3) {
        bytes += "GGUF";
        return number(version).number(tensors).number(keys);
    }
    GgufFile& key(std::string_view name, ValueType type) { return text(name).number(type); }
    GgufFile& key(std::string_view name, std::string_view value) { return key(name, ValueType::string).text(value); }
    GgufFile& key(std::string_view name, uint32_t value) { return key(name, ValueType::u32).number(value); }
    GgufFile& array(std::string_view name, ValueType element, uint64_t count) {
        return key(name, ValueType::array).number(element).number(count);
    }
    // The file's order of dims: columns first.
    GgufFile& tensor(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type = 0, uint64_t offset = 0) {
        text(name).number(static_cast<uint32_t>(dims.size()));
        for (const uint64_t dim : dims) number(dim);
        return number(type).number(offset);
    }
    GgufFile& pad(size_t alignment = 32) {
        bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
        return *this;
    }
    GgufFile& data(size_t size) {
        bytes.append(size, '\x11');
        return *this;
    }
    gguf::File open(const std::string& path = "-") const { return gguf::open(Bytes::copy(bytes.data(), bytes.size()), path); }
};

// "exit: message" of what body throws; "read" if nothing.
template <class Body>
std::string refusal(const Body& body) {
    try {
        body();
        return "read";
    } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.exit())) + ": " + error.message();
    }
}

}  // namespace quern::test
