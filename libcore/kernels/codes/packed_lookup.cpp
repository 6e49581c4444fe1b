// Tables of codes in the layout of these kernels: the table is turned as the codes are.
#include <array>

#include "libcore/kernels/code_table.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/packed_codes.h"

namespace quern::codes {
namespace {

constexpr size_t grain = 1 << 14;  // codes that are worth a task

// Codes of 8 bits, or of 16 in two parts `count` bytes apart, as unsigned numbers.
struct Bytes8 {
    uint8_t* data;
    uint32_t at(size_t i) const { return data[i]; }
    void put(size_t i, uint32_t code) const { data[i] = static_cast<uint8_t>(code); }
};
struct Bytes16 {
    uint8_t* data;
    size_t count;
    uint32_t at(size_t i) const { return data[i] | static_cast<uint32_t>(data[count + i]) << 8; }
    void put(size_t i, uint32_t code) const {
        data[i] = static_cast<uint8_t>(code);
        data[count + i] = static_cast<uint8_t>(code >> 8);
    }
};

template <class Entry, class From, class To>
void look_up(const CodeTable& table, const From& from, const To& to, size_t count, ThreadPool& pool) {
    const auto* entries = reinterpret_cast<const Entry*>(table.entries);
    const auto in = static_cast<uint32_t>(bias_of(table.from)), out = static_cast<uint32_t>(bias_of(table.to));
    pool.run_ranges(count, grain, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to.put(i, entries[from.at(i) ^ in] ^ out);
    });
}

void look_up_turned(const CodeTable& table, const uint8_t* from, uint8_t* to, size_t count, ThreadPool& pool) {
    std::array<uint8_t, 256> turned;
    for (uint32_t i = 0; i < turned.size(); ++i)
        Bytes8{turned.data()}.put(i, static_cast<uint32_t>(bias_of(table.to)) ^
                                         static_cast<uint32_t>(table.entries[i ^ static_cast<uint32_t>(bias_of(table.from))]));
    look_up_bytes(turned.data(), from, to, count, pool);
}

}  // namespace

std::shared_ptr<const Packed> PackedCodes::looked_up(const CodeTable& table, Memory& memory, ThreadPool& pool) const {
    const auto count = static_cast<size_t>(count_of(dims_));
    const bool from_words = bits_of(table.from) > 8, to_words = bits_of(table.to) > 8;
    Buffer out = memory.take(count * (to_words ? 2 : 1));
    auto *from = reinterpret_cast<uint8_t*>(buffer_.data.get()), *to = reinterpret_cast<uint8_t*>(out.data.get());
    if (from_words && to_words)
        look_up<uint16_t>(table, Bytes16{from, count}, Bytes16{to, count}, count, pool);
    else if (from_words)
        look_up<uint8_t>(table, Bytes16{from, count}, Bytes8{to}, count, pool);
    else if (to_words)
        look_up<uint16_t>(table, Bytes8{from}, Bytes16{to, count}, count, pool);
    else
        look_up_turned(table, from, to, count, pool);
    return std::make_shared<const PackedCodes>(dims_, table.to, moved_, std::move(out));
}

}  // namespace quern::codes
