// Not by the reader of libflatbuffers: its VerifyBuffer (2.0.8, Debian 12) takes keys without a zero at their end, which AsKey() then reads
// past the buffer to find.
#include "formats/tflite/file/flexbuffer.h"

#include <bit>
#include <cstring>

#include "libcore/base/error.h"

namespace quern::tflite_format {
namespace {

// Types as the format numbers them.
enum FlexType : uint8_t {
    integer = 1,
    natural = 2,
    real = 3,
    indirect_integer = 6,
    indirect_natural = 7,
    indirect_real = 8,
    map = 9,
    boolean = 26
};

// Every read is checked to be inside of the bytes.
class Reader {
   public:
    explicit Reader(const Bytes& bytes) : bytes_(bytes) {}

    // The last three bytes: root type and width, and how many bytes the root has before them.
    std::map<std::string, double> run() const {
        if (bytes_.size() < 3) fail();
        const size_t width = number(bytes_.size() - 1, 1);
        const auto packed = static_cast<uint8_t>(number(bytes_.size() - 2, 1));
        if (packed >> 2 != map || !is_width(width) || bytes_.size() < 2 + width) fail();
        return entries(back(bytes_.size() - 2 - width, width), size_t{1} << (packed & 3));
    }

   private:
    [[noreturn]] static void fail() { throw bad_input("its options are not a FlexBuffer map"); }
    static bool is_width(size_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }

    uint64_t number(size_t at, size_t width) const {
        if (at > bytes_.size() || width > bytes_.size() - at) fail();
        uint64_t out = 0;
        std::memcpy(&out, bytes_.data() + at, width);
        return out;
    }
    // Where the offset at `at` points to: that many bytes before it.
    size_t back(size_t at, size_t width) const {
        const uint64_t offset = number(at, width);
        if (offset > at) fail();
        return at - static_cast<size_t>(offset);
    }

    // In front of a map's values stand where its keys are, their width, and the count; behind them a type each.
    std::map<std::string, double> entries(size_t at, size_t width) const {
        if (at < 3 * width) fail();
        const uint64_t count = number(at - width, width), key_width = number(at - 2 * width, width);
        const size_t keys = back(at - 3 * width, width);
        if (!is_width(key_width) || count > bytes_.size() / width) fail();
        std::map<std::string, double> out;
        for (size_t i = 0; i < count; ++i) {
            const auto packed = static_cast<uint8_t>(number(at + static_cast<size_t>(count) * width + i, 1));
            const size_t key = back(keys + i * static_cast<size_t>(key_width), static_cast<size_t>(key_width));
            const auto* end = static_cast<const std::byte*>(std::memchr(bytes_.data() + key, 0, bytes_.size() - key));
            if (!end) fail();
            const std::string name(reinterpret_cast<const char*>(bytes_.data() + key), static_cast<size_t>(end - bytes_.data()) - key);
            item(at + i * width, width, static_cast<FlexType>(packed >> 2), size_t{1} << (packed & 3), name, out);
        }
        return out;
    }

    void item(size_t at, size_t width, FlexType type, size_t own_width, const std::string& name, std::map<std::string, double>& out) const {
        const bool indirect = type == indirect_integer || type == indirect_natural || type == indirect_real;
        if (indirect) {
            at = back(at, width);
            width = own_width;
        }
        const uint64_t bits = number(at, width);
        switch (type) {
            case integer:
            case indirect_integer: {
                const auto shift = 64 - 8 * width;
                out[name] = static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
                break;
            }
            case natural:
            case indirect_natural:
            case boolean: out[name] = static_cast<double>(bits); break;
            case real:
            case indirect_real:
                if (width == 4) out[name] = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
                if (width == 8) out[name] = std::bit_cast<double>(bits);
                break;
            default: break;
        }
    }

    const Bytes& bytes_;
};

}  // namespace

std::map<std::string, double> flexbuffer_numbers(const Bytes& bytes) { return Reader(bytes).run(); }

}  // namespace quern::tflite_format
