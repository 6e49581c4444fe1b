#include "libcore/tokens/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace quern::tokens {

namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr char32_t last_code_point = 0x10FFFF;

Category group_of(utf8proc_category_t category) {
    switch (category) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO: return letter;
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME: return mark;
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_NO: return number;
        case UTF8PROC_CATEGORY_PC:
        case UTF8PROC_CATEGORY_PD:
        case UTF8PROC_CATEGORY_PS:
        case UTF8PROC_CATEGORY_PE:
        case UTF8PROC_CATEGORY_PI:
        case UTF8PROC_CATEGORY_PF:
        case UTF8PROC_CATEGORY_PO: return punctuation;
        case UTF8PROC_CATEGORY_SM:
        case UTF8PROC_CATEGORY_SC:
        case UTF8PROC_CATEGORY_SK:
        case UTF8PROC_CATEGORY_SO: return symbol;
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO: return control;
        default: return other;
    }
}

struct Range {
    char32_t first, last;
    Category category;
};

// Assigned by Unicode 15.1, which came after utf8proc 2.8.
constexpr std::array later = {Range{0x2FFC, 0x2FFF, symbol}, Range{0x31EF, 0x31EF, symbol}, Range{0x2EBF0, 0x2EE5D, letter}};

// The code point of the sequence at `text[at]`, or nothing; moves `at` past it, or past its first byte.
bool next_sequence(std::string_view text, size_t& at, char32_t& c) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
    const size_t start = at++;
    if (length == 0 || text.size() - start < length) return false;
    c = length == 1 ? first : first & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(start + i) & 0xC0) != 0x80) return false;
        c = (c << 6) | (byte(start + i) & 0x3Fu);
    }
    if (c > last_code_point) return false;
    at = start + length;
    return true;
}

}  // namespace

Category category(char32_t c) {
    const Category known = group_of(utf8proc_category(static_cast<utf8proc_int32_t>(c)));
    if (known != other || c < later.front().first) return known;
    for (const Range& range : later)
        if (c >= range.first && c <= range.last) return range.category;
    return other;
}

bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool is_han(char32_t c) {
    constexpr std::pair<char32_t, char32_t> blocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                                        {0x20000, 0x2A6DF}, {0x2A700, 0x2EBEF}, {0x2F800, 0x2FA1F}};
    return std::ranges::any_of(blocks, [c](const auto& block) { return c >= block.first && c <= block.second; });
}

char32_t lower(char32_t c) { return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))); }

std::u32string code_points(std::string_view text) {
    std::u32string found;
    found.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        char32_t c = 0;
        found.push_back(next_sequence(text, at, c) ? c : replacement);
    }
    return found;
}

std::u32string decomposed(std::u32string_view text) {
    std::u32string to;
    for (const char32_t c : text) {
        std::array<utf8proc_int32_t, 8> parts{};
        int boundary = 0;
        const auto count =
            utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(), parts.size(), UTF8PROC_DECOMPOSE, &boundary);
        if (count <= 0 || static_cast<size_t>(count) > parts.size())
            to.push_back(c);  // surrogates have no decomposition
        else
            to.append(parts.begin(), parts.begin() + count);
    }
    return to;
}

std::string utf8(std::u32string_view text) {
    std::string to;
    to.reserve(text.size());
    for (const char32_t c : text) append_utf8(to, c);
    return to;
}

size_t announced_bytes(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace quern::tokens
