// Pictures as samples: files of known kinds decoded to bytes, as Pillow decodes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

struct PictureSize {
    int64_t width = 0, height = 0;
    bool operator==(const PictureSize&) const = default;
};
std::string to_string(const PictureSize& size);  // "640x480"

// Rows of pixels, the channels of a pixel side by side: gray, or red, green, blue.
struct Picture {
    PictureSize size;
    int channels = 0;  // 1 or 3
    std::vector<uint8_t> bytes;

    Picture() = default;
    Picture(PictureSize s, int c, uint8_t fill = 0)
        : size(s), channels(c), bytes(static_cast<size_t>(s.width * s.height) * static_cast<size_t>(c), fill) {}
    size_t row_bytes() const { return static_cast<size_t>(size.width) * static_cast<size_t>(channels); }
    uint8_t* row(int64_t y) { return bytes.data() + static_cast<size_t>(y) * row_bytes(); }
    const uint8_t* row(int64_t y) const { return bytes.data() + static_cast<size_t>(y) * row_bytes(); }
};

struct PictureKind {
    std::string_view name;  // "JPEG"
    bool (*sniff)(std::string_view bytes);
    PictureSize (*size)(const Bytes& bytes);  // of the header; the file is hostile, so this and decode throw Exit::bad_input or unsupported
    Picture (*decode)(const Bytes& bytes);
};
extern const PictureKind pnm_pictures, bmp_pictures;

// Those of others, which libquern_media.so has (formats/media).
struct PictureDecoders {
    PictureSize (*jpeg_size)(const Bytes& bytes);
    Picture (*jpeg)(const Bytes& bytes);
    PictureSize (*png_size)(const Bytes& bytes);
    Picture (*png)(const Bytes& bytes);
};

// By content; nullptr: no picture that can be read.
const PictureKind* picture_kind(const Bytes& bytes);

// Throws unless the size is one that is decoded: at least a pixel, at most 65,535 a side and 2^27 in all.
void check_picture_size(const PictureSize& size);
// Throws if `bytes` cannot hold so many pixels, however well they are packed: a header alone takes no memory.
void check_packing(const PictureSize& size, const Bytes& bytes, uint64_t pixels_per_byte);

// Gray of red, green and blue, and the other way, as Pillow has them.
Picture with_channels(Picture picture, int channels);

}  // namespace quern
