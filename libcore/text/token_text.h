// A text as tokens, and in windows: what language models are scored and calibrated on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/tokens/tokenizer.h"

namespace quern {

constexpr int64_t default_window = 512;  // tokens

struct TokenText {
    std::vector<int32_t> tokens;
    std::optional<int32_t> begin;  // what each window begins with
};

// The contents of `path` ("-": standard input): a text, or without a tokenizer its ids, as token_ids() reads them.
TokenText read_token_text(const Tokenizer* tokenizer, const std::string& path);
// With the tokenizers of two models: throws Exit::bad_input if they make different tokens of it.
TokenText read_token_text(const Tokenizer* first, const Tokenizer* second, const std::string& path);
// Ids as decimal numbers, between blanks, commas or lines. Throws Exit::bad_input for what is none.
std::vector<int32_t> token_ids(std::string text);

// As llama-perplexity has it: windows of `length` tokens, one after the other, of which each begins with `begin` in place of its first
// token, if there is one; the tokens of the second half are scored, each by what is before it. A rest that fills no window is left out.
class TokenWindows {
   public:
    // Throws Exit::bad_input for a text that is shorter than a window, Exit::usage for windows in which no token would be scored.
    TokenWindows(TokenText text, int64_t length);

    int64_t count() const { return static_cast<int64_t>(text_.tokens.size()) / length_; }
    int64_t length() const { return length_; }
    const std::vector<int32_t>& tokens() const { return text_.tokens; }
    std::vector<int32_t> fed(int64_t window) const;

    // The places of a window whose logits are scored: [first, last), each by the token behind it.
    size_t first_scored() const { return static_cast<size_t>(length_ / 2); }
    size_t last_scored() const { return static_cast<size_t>(length_ - 1); }
    int32_t behind(int64_t window, size_t place) const;

   private:
    TokenText text_;
    int64_t length_;
};

}  // namespace quern
