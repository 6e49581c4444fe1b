// JPEG by libjpeg-turbo.
#include <turbojpeg.h>

#include <memory>

#include "formats/media/media.h"
#include "libcore/base/error.h"

namespace quern {
namespace {

using Handle = std::unique_ptr<void, int (*)(tjhandle)>;

Handle decompressor() {
    Handle handle(tjInitDecompress(), tjDestroy);
    if (!handle) throw io_error("libjpeg-turbo does not start: {}", tjGetErrorStr2(nullptr));
    return handle;
}

const unsigned char* data_of(const Bytes& bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

struct Header {
    PictureSize size;
    int colours = 0;
};

Header header_of(tjhandle handle, const Bytes& bytes) {
    int width = 0, height = 0, subsampling = 0, colours = 0;
    if (tjDecompressHeader3(handle, data_of(bytes), bytes.size(), &width, &height, &subsampling, &colours) != 0)
        throw bad_input("JPEG: {}", tjGetErrorStr2(handle));
    const PictureSize size{width, height};
    check_picture_size(size);
    check_packing(size, bytes, 1024);  // one bit for a block of 64 pixels, and two to be on the safe side
    return {size, colours};
}

// Adobe's files hold what ink leaves: 255 is none of it.
Picture rgb_of_inks(const PictureSize& size, const std::vector<uint8_t>& inks) {
    Picture picture(size, 3);
    for (size_t pixel = 0; pixel * 4 < inks.size(); ++pixel) {
        const uint8_t* from = &inks[pixel * 4];
        for (size_t c = 0; c < 3; ++c) {
            const int product = (255 - from[c]) * from[3] + 128;
            picture.bytes[pixel * 3 + c] = static_cast<uint8_t>(from[3] - ((product >> 8) + product) / 256);
        }
    }
    return picture;
}

void decompress(tjhandle handle, const Bytes& bytes, const PictureSize& size, int format, std::vector<uint8_t>& out) {
    const int failed = tjDecompress2(handle, data_of(bytes), bytes.size(), out.data(), static_cast<int>(size.width), 0,
                                     static_cast<int>(size.height), format, TJFLAG_LIMITSCANS);
    if (failed == 0) return;
    const std::string_view message = tjGetErrorStr2(handle);
    const bool harmless = tjGetErrorCode(handle) == TJERR_WARNING && message.find("extraneous bytes") != std::string_view::npos;
    if (!harmless) throw bad_input("JPEG: {}", message);
}

}  // namespace

PictureSize jpeg_size(const Bytes& bytes) { return header_of(decompressor().get(), bytes).size; }

Picture jpeg_picture(const Bytes& bytes) {
    const Handle handle = decompressor();
    const Header header = header_of(handle.get(), bytes);
    if (header.colours == TJCS_CMYK || header.colours == TJCS_YCCK) {
        std::vector<uint8_t> inks(static_cast<size_t>(header.size.width * header.size.height) * 4);
        decompress(handle.get(), bytes, header.size, TJPF_CMYK, inks);
        return rgb_of_inks(header.size, inks);
    }
    const bool gray = header.colours == TJCS_GRAY;
    Picture picture(header.size, gray ? 1 : 3);
    decompress(handle.get(), bytes, header.size, gray ? TJPF_GRAY : TJPF_RGB, picture.bytes);
    return picture;
}

}  // namespace quern
