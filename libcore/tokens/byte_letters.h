// GPT-2's letters for bytes: those that can be seen in Latin-1 stand for themselves, the others are U+0100, U+0101...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quern::tokens {

const std::string& letter_of_byte(uint8_t byte);         // as UTF-8
std::optional<uint8_t> byte_of_letter(char32_t letter);  // nothing: is not one of them

}  // namespace quern::tokens
