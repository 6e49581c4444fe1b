#include "libcore/base/utf.h"

#include <cstdint>
#include <string_view>

#include "libcore/base/error.h"

namespace quern {
namespace {

using namespace std::string_view_literals;

std::string utf8_of(std::string_view bytes, bool big_endian) {
    if (bytes.size() % 2 != 0) throw bad_input("is UTF-16 of an odd number of bytes");
    const auto unit = [&](size_t at) -> char32_t {
        const auto first = static_cast<uint8_t>(bytes[at]), second = static_cast<uint8_t>(bytes[at + 1]);
        return big_endian ? char32_t{first} << 8 | second : char32_t{second} << 8 | first;
    };
    std::string out;
    for (size_t at = 0; at < bytes.size(); at += 2) {
        char32_t c = unit(at);
        if (c >= 0xd800 && c < 0xe000) {  // the first half of a character of 32 bits
            const char32_t low = c < 0xdc00 && at + 2 < bytes.size() ? unit(at += 2) : 0;
            if (low < 0xdc00 || low >= 0xe000) throw bad_input("is UTF-16 with half a character");
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
        append_utf8(out, c);
    }
    return out;
}

}  // namespace

void append_utf8(std::string& to, char32_t c) {
    if (c < 0x80) return to.push_back(static_cast<char>(c));
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;  // bytes of 6 bits behind the first
    to.push_back(static_cast<char>((0xff00 >> (more + 1) & 0xff) | c >> 6 * more));
    for (int i = more - 1; i >= 0; --i) to.push_back(static_cast<char>(0x80 | (c >> 6 * i & 0x3f)));
}

Bytes as_utf8(const Bytes& text) {
    const std::string_view all = text.text();
    if (all.starts_with("\xef\xbb\xbf"sv)) return text.slice(3, text.size() - 3);
    const bool big_endian = all.starts_with("\xfe\xff"sv);
    if (!big_endian && !all.starts_with("\xff\xfe"sv)) return text;
    const std::string decoded = utf8_of(all.substr(2), big_endian);
    return Bytes::copy(decoded.data(), decoded.size());
}

}  // namespace quern
