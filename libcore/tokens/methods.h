// The ways from a text without special tokens to ids; see Method. Each may be used by several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tokens/vocabulary.h"

namespace quern::tokens {

class TextEncoder {
   public:
    virtual ~TextEncoder() = default;
    // Appends the ids of `text`. `first`: nothing or a special token stands before it.
    virtual void encode(std::string_view text, bool first, std::vector<int32_t>& ids) const = 0;
    // The bytes of a normal token.
    virtual std::string bytes_of(std::string_view token) const = 0;
};

// They keep a reference to the vocabulary.
std::unique_ptr<TextEncoder> sentence_piece_encoder(const Vocabulary& vocabulary);
std::unique_ptr<TextEncoder> byte_pair_encoder(const Vocabulary& vocabulary);
std::unique_ptr<TextEncoder> word_piece_encoder(const Vocabulary& vocabulary);

// Blanks as SentencePiece writes them, U+2581, and back.
std::string with_marked_blanks(std::string_view text);
std::string with_plain_blanks(std::string_view text);

}  // namespace quern::tokens
