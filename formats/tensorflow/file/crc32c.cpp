#include "formats/tensorflow/file/crc32c.h"

#include <array>

namespace quern::tensorflow_format {
namespace {

constexpr uint32_t polynomial = 0x82f63b78, mask = 0xa282ead8;
using Table = std::array<uint32_t, 256>;

// Table k: what a byte does that k bytes follow.
constexpr std::array<Table, 8> tables = [] {
    std::array<Table, 8> all{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
        all[0][byte] = sum;
    }
    for (size_t k = 1; k < 8; ++k)
        for (size_t byte = 0; byte < 256; ++byte) all[k][byte] = (all[k - 1][byte] >> 8) ^ all[0][all[k - 1][byte] & 255];
    return all;
}();

}  // namespace

uint32_t masked_crc32c(const Bytes& bytes) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    size_t left = bytes.size();
    uint32_t sum = ~0U;
    for (; left >= 8; left -= 8, data += 8) {
        const uint32_t low = sum ^ (data[0] | uint32_t{data[1]} << 8 | uint32_t{data[2]} << 16 | uint32_t{data[3]} << 24);
        sum = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^ tables[3][data[4]] ^
              tables[2][data[5]] ^ tables[1][data[6]] ^ tables[0][data[7]];
    }
    for (; left > 0; --left, ++data) sum = (sum >> 8) ^ tables[0][(sum ^ *data) & 255];
    sum = ~sum;
    return ((sum >> 15) | (sum << 17)) + mask;
}

}  // namespace quern::tensorflow_format
