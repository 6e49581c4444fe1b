#include "formats/pictures/picture.h"

#include <array>

#include "libcore/base/error.h"
#include "libcore/os/own_library.h"

namespace quern {

std::string to_string(const PictureSize& size) { return fmt::format("{}x{}", size.width, size.height); }

static const PictureDecoders& decoders() {
    static const PictureDecoders& loaded = own_table<PictureDecoders>("libquern_media.so", "quern_picture_decoders");
    return loaded;
}

static const PictureKind jpeg_pictures{"JPEG", [](std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); },
                                       [](const Bytes& bytes) { return decoders().jpeg_size(bytes); },
                                       [](const Bytes& bytes) { return decoders().jpeg(bytes); }};
static const PictureKind png_pictures{"PNG", [](std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); },
                                      [](const Bytes& bytes) { return decoders().png_size(bytes); },
                                      [](const Bytes& bytes) { return decoders().png(bytes); }};

const PictureKind* picture_kind(const Bytes& bytes) {
    static constexpr std::array<const PictureKind*, 4> kinds{&jpeg_pictures, &png_pictures, &pnm_pictures, &bmp_pictures};
    for (const PictureKind* kind : kinds)
        if (kind->sniff(bytes.text())) return kind;
    return nullptr;
}

void check_picture_size(const PictureSize& size) {
    constexpr int64_t side = 65535, most = int64_t{1} << 27;
    if (size.width <= 0 || size.height <= 0) throw bad_input("a picture of {} pixels", to_string(size));
    if (size.width > side || size.height > side || size.width * size.height > most)
        throw unsupported("a picture of {} pixels: at most {} a side and {} in all are read", to_string(size), side, most);
}

void check_packing(const PictureSize& size, const Bytes& bytes, uint64_t pixels_per_byte) {
    if (static_cast<uint64_t>(size.width) * static_cast<uint64_t>(size.height) > bytes.size() * pixels_per_byte)
        throw bad_input("{} bytes cannot hold {} pixels: the file is cut short, or its header is wrong", bytes.size(), to_string(size));
}

Picture with_channels(Picture picture, int channels) {
    if (picture.channels == channels) return picture;
    Picture out(picture.size, channels);
    const uint8_t* from = picture.bytes.data();
    uint8_t* to = out.bytes.data();
    const size_t pixels = out.bytes.size() / static_cast<size_t>(channels);
    if (channels == 3) {
        for (size_t i = 0; i < pixels; ++i, to += 3) to[0] = to[1] = to[2] = from[i];
    } else {  // ITU-R 601 in 16 bits
        for (size_t i = 0; i < pixels; ++i, from += 3)
            to[i] = static_cast<uint8_t>((from[0] * 19595U + from[1] * 38470U + from[2] * 7471U + 0x8000U) >> 16);
    }
    return out;
}

}  // namespace quern
