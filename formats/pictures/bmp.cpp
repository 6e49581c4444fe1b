// BMP without compression: palettes of 1, 4 and 8 bits, and 24 and 32 bits a pixel.
#include <array>
#include <cstdlib>

#include "formats/pictures/picture.h"
#include "libcore/base/error.h"
#include "libcore/base/little_endian.h"

namespace quern {
namespace {

constexpr size_t file_header = 14;

struct Header {
    PictureSize size;
    bool upward = false;  // the last row comes first
    uint32_t bits = 0;
    size_t colours = 0, colour_count = 0, pixels = 0;  // where the palette and the rows begin
    size_t stride() const { return (static_cast<size_t>(size.width) * bits + 31) / 32 * 4; }
};

// 32-bit pixels may say where their colours lie; only the usual places are read.
void check_masks(std::string_view text) {
    static constexpr std::array<uint32_t, 3> usual{0xff0000, 0xff00, 0xff};
    for (size_t i = 0; i < usual.size(); ++i)
        if (text.size() < file_header + 40 + 4 * (i + 1) || little_endian(text, file_header + 40 + 4 * i, 4) != usual[i])
            throw unsupported("BMP: colours in other places than blue, green, red");
}

Header header_of(const Bytes& bytes) {
    const std::string_view text = bytes.text();
    if (text.size() < file_header + 40) throw bad_input("BMP: is cut short in its header");
    const uint32_t head = little_endian(text, 14, 4), packing = little_endian(text, 30, 4);
    const auto height = static_cast<int32_t>(little_endian(text, 22, 4));
    Header header;
    header.size = {static_cast<int32_t>(little_endian(text, 18, 4)), std::abs(static_cast<int64_t>(height))};
    header.upward = height > 0;
    header.bits = little_endian(text, 28, 2);
    header.pixels = little_endian(text, 10, 4);
    check_picture_size(header.size);
    const bool palette = header.bits == 1 || header.bits == 4 || header.bits == 8;
    if (!palette && header.bits != 24 && header.bits != 32) throw unsupported("BMP: {} bits a pixel", header.bits);
    if (packing != 0 && !(packing == 3 && header.bits == 32)) throw unsupported("BMP: compressed (method {})", packing);
    if (packing == 3) check_masks(text);
    if (palette) {
        const uint32_t count = little_endian(text, 46, 4);
        header.colours = file_header + size_t{head};
        header.colour_count = count == 0 ? size_t{1} << header.bits : std::min<size_t>(count, size_t{1} << header.bits);
        if (header.colours + header.colour_count * 4 > text.size()) throw bad_input("BMP: is cut short in its palette");
    }
    const uint64_t need = header.stride() * static_cast<uint64_t>(header.size.height);
    if (header.pixels > text.size() || text.size() - header.pixels < need)
        throw bad_input("BMP: got {} bytes, need {} from byte {}", text.size(), need, header.pixels);
    return header;
}

// Where the colour of a pixel lies: blue, green, red.
size_t colour_at(const Header& header, std::string_view text, size_t row, size_t x) {
    if (header.colour_count == 0) return row + x * (header.bits / 8);
    const uint32_t in_byte = 8 / header.bits;
    const uint32_t byte = little_endian(text, row + x / in_byte, 1);
    const auto shift = static_cast<uint32_t>(8 - header.bits * (x % in_byte + 1));
    const size_t index = byte >> shift & ((1U << header.bits) - 1);
    if (index >= header.colour_count) throw bad_input("BMP: colour {} of a palette of {}", index, header.colour_count);
    return header.colours + index * 4;
}

Picture decode(const Bytes& bytes) {
    const Header header = header_of(bytes);
    const std::string_view text = bytes.text();
    Picture picture(header.size, 3);
    for (int64_t y = 0; y < header.size.height; ++y) {
        const auto from = static_cast<size_t>(header.upward ? header.size.height - 1 - y : y);
        uint8_t* to = picture.row(y);
        for (size_t x = 0; x < static_cast<size_t>(header.size.width); ++x, to += 3) {
            const size_t at = colour_at(header, text, header.pixels + from * header.stride(), x);
            for (size_t c = 0; c < 3; ++c) to[c] = static_cast<uint8_t>(text[at + 2 - c]);
        }
    }
    return picture;
}

// Two letters are a weak sign: the sizes of known headers are another.
bool sniff(std::string_view text) {
    if (!text.starts_with("BM") || text.size() < 18) return false;
    const uint32_t head = little_endian(text, 14, 4);
    return little_endian(text, 6, 4) == 0 && (head == 40 || head == 52 || head == 56 || head == 64 || head == 108 || head == 124);
}

}  // namespace

const PictureKind bmp_pictures{"BMP", sniff, [](const Bytes& bytes) { return header_of(bytes).size; }, decode};

}  // namespace quern
