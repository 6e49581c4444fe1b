// Characters: code points of a text and the general categories of Unicode 15.1, which the rules that split text into words ask for.
// Categories are utf8proc's; those that its version does not know yet are named in unicode.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/base/utf.h"

namespace quern::tokens {

// Groups of general categories, one bit each, so that sets are sums.
enum Category : uint8_t { other = 0, letter = 1, mark = 2, number = 4, punctuation = 8, symbol = 16, control = 32 };

Category category(char32_t c);
bool is_space(char32_t c);  // the property White_Space
bool is_han(char32_t c);    // blocks of Chinese characters
char32_t lower(char32_t c);

// Every byte that is not part of a sequence in UTF-8's form is one U+FFFD; overlong forms and surrogates count as what they spell.
std::u32string code_points(std::string_view text);
// Canonical decomposition (NFD).
std::u32string decomposed(std::u32string_view text);
std::string utf8(std::u32string_view text);

// How many bytes the first byte of a sequence announces, 1 for those that announce nothing.
size_t announced_bytes(char first);

}  // namespace quern::tokens
