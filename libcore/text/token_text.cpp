#include "libcore/text/token_text.h"

#include <algorithm>
#include <charconv>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {

constexpr int64_t min_length = 3;  // begin, what is scored by it, and what is scored

std::vector<int32_t> token_ids(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == ',' || c == '\n' || c == '\t' || c == '\r'; }, ' ');
    std::vector<int32_t> out;
    for (const std::string& word : split(text, ' ')) {
        if (word.empty()) continue;
        int32_t id = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
        if (error != std::errc() || end != word.data() + word.size() || id < 0) throw bad_input("\"{}\" is not a token id", escape(word));
        out.push_back(id);
    }
    return out;
}

TokenText read_token_text(const Tokenizer* tokenizer, const std::string& path) { return read_token_text(tokenizer, nullptr, path); }

TokenText read_token_text(const Tokenizer* first, const Tokenizer* second, const std::string& path) {
    const Bytes bytes = map_input(path);
    return at_place(display_name(path), [&]() -> TokenText {
        const Tokenizer* tokenizer = first ? first : second;
        if (!tokenizer) return {token_ids(std::string(bytes.text())), {}};
        TokenText out{tokenizer->encode(bytes.text()), tokenizer->adds_bos() ? tokenizer->bos() : std::nullopt};
        if (first && second && second->encode(bytes.text()) != out.tokens)
            throw bad_input("the tokenizers of the two models make different tokens of it");
        return out;
    });
}

TokenWindows::TokenWindows(TokenText text, int64_t length) : text_(std::move(text)), length_(length) {
    if (length < min_length) throw usage_error("a window of {} tokens scores nothing: {} are needed", length, min_length);
    if (count() == 0) throw bad_input("the text has {} tokens, fewer than the {} of one window", text_.tokens.size(), length);
}

std::vector<int32_t> TokenWindows::fed(int64_t window) const {
    const auto first = text_.tokens.begin() + window * length_;
    std::vector<int32_t> out(first, first + length_);
    if (text_.begin) out[0] = *text_.begin;
    return out;
}

int32_t TokenWindows::behind(int64_t window, size_t place) const { return text_.tokens[static_cast<size_t>(window * length_) + place + 1]; }

}  // namespace quern
