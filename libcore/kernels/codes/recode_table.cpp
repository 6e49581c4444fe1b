#include "libcore/kernels/codes/recode_table.h"

#include <algorithm>
#include <cstring>

#include "libcore/graph/quantize.h"
#include "libcore/kernels/codes/finish.h"

namespace quern::codes {

RecodeTable recode_table(const Encoding& from, const Encoding& to) {
    RecodeTable table(256);
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<uint8_t>(i ^ static_cast<size_t>(bias_of(from.storage)));
    const Tensor real = dequantize({from.storage, {256}, Bytes::borrow(table.data(), table.size())}, from), codes = quantize(real, to);
    bool stays = true;
    for (size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<uint8_t>(static_cast<size_t>(codes.data.data()[i]) ^ static_cast<size_t>(bias_of(to.storage)));
        stays = stays && table[i] == i;
    }
    return stays ? RecodeTable() : table;
}

void copy_codes(const uint8_t* from, uint8_t* to, int64_t count, const RecodeTable& table) {
    if (table.empty())
        std::memcpy(to, from, static_cast<size_t>(count));
    else
        std::transform(from, from + count, to, [&](uint8_t code) { return table[code]; });
}

}  // namespace quern::codes
