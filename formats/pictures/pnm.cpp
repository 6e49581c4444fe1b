// PGM and PPM in their binary forms, P5 and P6.
#include <optional>

#include "formats/pictures/picture.h"
#include "libcore/base/error.h"

namespace quern {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

struct Header {
    PictureSize size;
    int channels = 0;
    uint32_t most = 0;  // the value of white
    size_t pixels = 0;  // where they begin
    size_t width() const { return most > 255 ? 2 : 1; }
};

// A number after blanks and comments.
int64_t take_number(std::string_view text, size_t& at) {
    while (at < text.size() && (is_blank(text[at]) || text[at] == '#'))
        at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
    int64_t number = 0;
    const size_t start = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < 10; ++at) number = number * 10 + (text[at] - '0');
    if (at == start) throw bad_input("PNM: need a number at byte {}", start);
    return number;
}

Header header_of(const Bytes& bytes) {
    const std::string_view text = bytes.text();
    Header header;
    header.channels = text[1] == '5' ? 1 : 3;
    size_t at = 2;
    header.size.width = take_number(text, at);
    header.size.height = take_number(text, at);
    const int64_t most = take_number(text, at);
    if (most < 1 || most > 65535) throw bad_input("PNM: a greatest value of {}, need 1 to 65535", most);
    if (at == text.size() || !is_blank(text[at])) throw bad_input("PNM: need a blank at byte {}", at);
    header.most = static_cast<uint32_t>(most);
    header.pixels = at + 1;
    check_picture_size(header.size);
    const uint64_t need =
        static_cast<uint64_t>(header.size.width * header.size.height) * static_cast<uint64_t>(header.channels) * header.width();
    if (text.size() - header.pixels < need) throw bad_input("PNM: got {} bytes of pixels, need {}", text.size() - header.pixels, need);
    return header;
}

Picture decode(const Bytes& bytes) {
    const Header header = header_of(bytes);
    Picture picture(header.size, header.channels);
    const auto* from = reinterpret_cast<const uint8_t*>(bytes.data()) + header.pixels;
    for (uint8_t& to : picture.bytes) {
        uint32_t value = *from++;
        if (header.width() == 2) value = value << 8 | *from++;
        value = std::min(value, header.most);
        to = static_cast<uint8_t>((value * 510 + header.most) / (2 * header.most));  // rounded
    }
    return picture;
}

}  // namespace

const PictureKind pnm_pictures{"PNM",
                               [](std::string_view bytes) {
                                   return bytes.size() > 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6') && is_blank(bytes[2]);
                               },
                               [](const Bytes& bytes) { return header_of(bytes).size; }, decode};

}  // namespace quern
