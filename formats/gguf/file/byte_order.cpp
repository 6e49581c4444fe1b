#include "formats/gguf/file/byte_order.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/base/error.h"

namespace quern::gguf {
namespace {

// Numbers of `width` bytes in a block, `count` of them from byte `at` on.
struct Field {
    size_t at, width, count;
};

struct Fields {
    std::string_view format;
    std::array<Field, 2> fields{};
};

// ggml's block structures: halves, and words that its code reads whole. Bytes everywhere else.
constexpr std::array byte_order_table{
    Fields{"q4_0", {{{0, 2, 1}}}},
    Fields{"q4_1", {{{0, 2, 2}}}},
    Fields{"q5_0", {{{0, 2, 1}, {2, 4, 1}}}},
    Fields{"q5_1", {{{0, 2, 2}, {4, 4, 1}}}},
    Fields{"q8_0", {{{0, 2, 1}}}},
    Fields{"q2_k", {{{80, 2, 2}}}},
    Fields{"q3_k", {{{108, 2, 1}}}},
    Fields{"q4_k", {{{0, 2, 2}}}},
    Fields{"q5_k", {{{0, 2, 2}}}},
    Fields{"q6_k", {{{208, 2, 1}}}},
    Fields{"iq2_xxs", {{{0, 2, 1}, {2, 4, 16}}}},
    Fields{"iq2_xs", {{{0, 2, 1}, {2, 2, 32}}}},
    Fields{"iq2_s", {{{0, 2, 1}}}},
    Fields{"iq3_xxs", {{{0, 2, 1}, {66, 4, 8}}}},
    Fields{"iq3_s", {{{0, 2, 1}}}},
    Fields{"iq1_s", {{{0, 2, 1}, {34, 2, 8}}}},
    Fields{"iq1_m", {{{48, 2, 4}}}},
    Fields{"iq4_nl", {{{0, 2, 1}}}},
    Fields{"iq4_xs", {{{0, 2, 2}}}},
    Fields{"tq1_0", {{{52, 2, 1}}}},
    Fields{"tq2_0", {{{64, 2, 1}}}},
    Fields{"mxfp4", {}},
    Fields{"nvfp4", {}},
    Fields{"q1_0", {{{0, 2, 1}}}},
    Fields{"q2_0", {{{0, 2, 1}}}},
};

void swap_field(std::byte* block, const Field& field) {
    for (size_t i = 0; i < field.count; ++i) {
        std::byte* number = block + field.at + i * field.width;
        std::reverse(number, number + field.width);
    }
}

}  // namespace

Bytes swapped_numbers(const Bytes& numbers, size_t width) {
    MutableBytes turned(numbers.size());
    if (numbers.empty()) return {};
    std::memcpy(turned.data(), numbers.data(), numbers.size());
    swap_field(turned.data(), {0, width, numbers.size() / width});
    return std::move(turned).freeze();
}

Bytes swapped_blocks(const Bytes& blocks, const BlockFormat& format) {
    if (format.elements == 1) return format.bytes == 1 ? blocks : swapped_numbers(blocks, format.bytes);
    const auto row = std::ranges::find(byte_order_table, format.name, &Fields::format);
    if (row == byte_order_table.end())
        throw unsupported("blocks of type {} are not turned from one byte order to the other", ggml_name(format));
    MutableBytes turned(blocks.size());
    std::memcpy(turned.data(), blocks.data(), blocks.size());
    for (size_t at = 0; at < blocks.size(); at += format.bytes)
        for (const Field& field : row->fields) swap_field(turned.data() + at, field);
    return std::move(turned).freeze();
}

}  // namespace quern::gguf
