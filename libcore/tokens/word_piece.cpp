// WordPiece: the longest tokens of each word, from the left.
#include "libcore/tokens/methods.h"

namespace quern::tokens {

namespace {

// Words stand alone; a word's first token begins with U+2581 (files for llama.cpp have no "##").
class WordPiece : public TextEncoder {
   public:
    explicit WordPiece(const Vocabulary& vocabulary)
        : vocabulary_(vocabulary),
          lowercase_(vocabulary.data().lowercase.value_or(true)),
          strip_accents_(vocabulary.data().strip_accents.value_or(lowercase_)) {}

    void encode(std::string_view text, bool /*first*/, std::vector<int32_t>& ids) const override {
        for (const std::string& word : words(text)) {
            const size_t before = ids.size();
            if (longest_tokens(with_marked_blanks(" ") + word, ids)) continue;
            ids.resize(before);
            if (vocabulary_.unknown) ids.push_back(*vocabulary_.unknown);
        }
    }

    std::string bytes_of(std::string_view token) const override { return with_plain_blanks(token); }

   private:
    std::vector<std::string> words(std::string_view text) const {
        std::u32string characters = code_points(text);
        if (strip_accents_) characters = decomposed(characters);
        std::vector<std::string> found;
        bool open = false;  // the last word goes on
        const auto append = [&](char32_t c, bool alone) {
            if (!open || alone) found.emplace_back();
            append_utf8(found.back(), lowercase_ ? lower(c) : c);
            open = !alone;
        };
        for (const char32_t c : characters) {
            const Category kind = category(c);
            if (is_space(c)) {
                open = false;
                continue;
            }
            if (c == 0 || c == 0xFFFD || kind == control || (strip_accents_ && kind == mark)) continue;
            append(c, kind == punctuation || (c < 0x7F && kind == symbol) || is_han(c));
        }
        return found;
    }

    // false: some part of the word is not a token.
    bool longest_tokens(std::string_view word, std::vector<int32_t>& ids) const {
        while (!word.empty()) {
            size_t length = std::min(word.size(), vocabulary_.longest());
            std::optional<int32_t> id;
            while (length > 0 && !(id = vocabulary_.find(word.substr(0, length)))) --length;
            if (!id) return false;
            ids.push_back(*id);
            word.remove_prefix(length);
        }
        return true;
    }

    const Vocabulary& vocabulary_;
    bool lowercase_, strip_accents_;
};

}  // namespace

std::unique_ptr<TextEncoder> word_piece_encoder(const Vocabulary& vocabulary) { return std::make_unique<WordPiece>(vocabulary); }

}  // namespace quern::tokens
