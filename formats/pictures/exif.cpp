#include "formats/pictures/exif.h"

#include <algorithm>

namespace quern {
namespace {

using namespace std::string_view_literals;

// Numbers of `bytes` bytes, the high byte first or last; 0 beyond the end.
struct Numbers {
    std::string_view text;
    bool big = true;
    uint32_t at(size_t place, size_t bytes) const {
        if (place > text.size() || bytes > text.size() - place) return 0;
        uint32_t number = 0;
        for (size_t i = 0; i < bytes; ++i) number = number << 8 | static_cast<unsigned char>(text[place + (big ? i : bytes - 1 - i)]);
        return number;
    }
};

// The block of a JPEG file, which stands in a segment before the first scan; "" if it has none.
std::string_view block_of_jpeg(std::string_view file) {
    const Numbers numbers{file};
    for (size_t at = 2; at + 4 <= file.size() && numbers.at(at, 1) == 0xff;) {
        const uint32_t marker = numbers.at(at + 1, 1), length = numbers.at(at + 2, 2);
        if (marker == 0xda || marker == 0xd9 || length < 2) return {};
        const std::string_view segment = file.substr(at + 4, length - 2);
        if (marker == 0xe1 && segment.starts_with("Exif\0\0"sv)) return segment.substr(6);
        at += 2 + size_t{length};
    }
    return {};
}

std::string_view block_of_png(std::string_view file) {
    const Numbers numbers{file};
    for (size_t at = 8; at + 12 <= file.size();) {
        const size_t length = numbers.at(at, 4);
        if (file.substr(at + 4, 4) == "eXIf") return file.substr(at + 8, length);
        at += length + 12;
    }
    return {};
}

bool turned_over(int orientation) { return orientation >= 5; }

}  // namespace

int exif_orientation(std::string_view file) {
    const std::string_view block = file.starts_with("\xff\xd8")  ? block_of_jpeg(file)
                                   : file.starts_with("\x89PNG") ? block_of_png(file)
                                                                 : "";
    if (!block.starts_with("MM\0*"sv) && !block.starts_with("II*\0"sv)) return 1;
    const Numbers numbers{block, block.starts_with("MM")};
    const size_t list = numbers.at(4, 4), count = numbers.at(list, 2);
    for (size_t i = 0; i < std::min<size_t>(count, block.size() / 12); ++i) {
        const size_t entry = list + 2 + 12 * i;
        constexpr uint32_t orientation = 0x112, two_bytes = 3;
        if (numbers.at(entry, 2) != orientation || numbers.at(entry + 2, 2) != two_bytes) continue;
        const uint32_t value = numbers.at(entry + 8, 2);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

PictureSize turned(const PictureSize& size, int orientation) {
    return turned_over(orientation) ? PictureSize{size.height, size.width} : size;
}

Picture turned(Picture picture, int orientation) {
    if (orientation == 1) return picture;
    const bool over = turned_over(orientation), mirrored = orientation == 2 || orientation == 3 || orientation >= 7,
               upside_down = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Picture out(turned(picture.size, orientation), picture.channels);
    uint8_t* to = out.bytes.data();
    for (int64_t y = 0; y < out.size.height; ++y)
        for (int64_t x = 0; x < out.size.width; ++x, to += picture.channels) {
            const int64_t u = over ? y : x, v = over ? x : y;
            const uint8_t* row = picture.row(upside_down ? picture.size.height - 1 - v : v);
            std::copy_n(row + (mirrored ? picture.size.width - 1 - u : u) * picture.channels, picture.channels, to);
        }
    return out;
}

}  // namespace quern
