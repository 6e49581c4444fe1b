// PNG by libpng's simplified interface, which reports errors by a code and a text.
#include <png.h>

#include <array>

#include "formats/media/media.h"
#include "libcore/base/error.h"

namespace quern {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view magic = "\x89PNG\r\n\x1a\n"sv;

uint32_t number_at(std::string_view bytes, size_t at) {
    uint32_t number = 0;
    for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

// Packed pixels cannot be much larger than pixels; libpng would unpack what is too much, a thousand times its size.
void check_surplus(PictureSize size, size_t packed) {
    constexpr uint64_t pixel = 8, filters = 2, free = 1 << 16;  // bytes
    const auto whole = static_cast<uint64_t>(size.height) * (static_cast<uint64_t>(size.width) * pixel + filters);
    if (packed > free + whole + whole / 8)
        throw bad_input("PNG: has {} bytes of packed pixels, its {} pixels take {} at most", packed, to_string(size), whole);
}

// The file with what says pixels alone: gamma, profiles, texts and backgrounds would change them, or cost time.
std::string pixels_only(std::string_view bytes, PictureSize size) {
    size_t packed = 0;
    static constexpr std::array kept{"IHDR"sv, "PLTE"sv, "tRNS"sv, "IDAT"sv, "IEND"sv};
    std::string out(magic);
    for (size_t at = magic.size(); at < bytes.size();) {
        if (bytes.size() - at < 12 || number_at(bytes, at) > bytes.size() - at - 12) throw bad_input("PNG: is cut short at byte {}", at);
        const size_t length = number_at(bytes, at) + size_t{12};
        const std::string_view name = bytes.substr(at + 4, 4);
        for (const std::string_view known : kept)
            if (name == known) out += bytes.substr(at, length);
        if (name == "IDAT") check_surplus(size, packed += length);
        if (name == "IEND") return out;
        at += length;
    }
    throw bad_input("PNG: is cut short, IEND is missing");
}

class Image {
   public:
    Image(const Bytes& bytes, PictureSize size) : file_(pixels_only(bytes.text(), size)) {
        image_.version = PNG_IMAGE_VERSION;
        if (png_image_begin_read_from_memory(&image_, file_.data(), file_.size()) == 0) throw failure();
    }
    ~Image() { png_image_free(&image_); }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    PictureSize size() const { return {image_.width, image_.height}; }
    bool gray() const { return (image_.format & PNG_FORMAT_FLAG_COLOR) == 0; }
    // Gray or colours with alpha: so nothing is mixed with a background.
    std::vector<uint8_t> read() {
        image_.format = gray() ? PNG_FORMAT_GA : PNG_FORMAT_RGBA;
        image_.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
        std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image_));
        if (png_image_finish_read(&image_, nullptr, pixels.data(), 0, nullptr) == 0) throw failure();
        return pixels;
    }

   private:
    Error failure() const { return bad_input("PNG: {}", image_.message); }
    std::string file_;
    png_image image_{};
};

}  // namespace

// Of the header alone: a folder's pictures are all asked for it.
PictureSize png_size(const Bytes& bytes) {
    const std::string_view text = bytes.text();
    if (text.size() < 33 || text.substr(12, 4) != "IHDR") throw bad_input("PNG: has no header");
    const PictureSize size{number_at(text, 16), number_at(text, 20)};
    check_picture_size(size);
    check_packing(size, bytes, 8 * 1040);  // deflate packs at most 1,032 to 1, and a byte is at most 8 pixels
    return size;
}

Picture png_picture(const Bytes& bytes) {
    const PictureSize size = png_size(bytes);
    Image image(bytes, size);
    const int channels = image.gray() ? 1 : 3;
    if (image.size() != size) throw bad_input("PNG: has two headers");
    const std::vector<uint8_t> pixels = image.read();
    Picture picture(size, channels);
    const uint8_t* from = pixels.data();
    for (size_t i = 0; i < picture.bytes.size(); ++from)  // all but alpha
        for (int c = 0; c < channels; ++c) picture.bytes[i++] = *from++;
    return picture;
}

}  // namespace quern
