// Tokenizers: a text to ids and back, by what a model's file says of its own (tokenizer_data.h). Ids are those of llama.cpp for every text.
//
// Texts are UTF-8; bytes that are not are kept by "llama" (a token for each byte) and become U+FFFD for the others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tokens/tokenizer_data.h"

namespace quern {

class Tokenizer {
   public:
    struct Options {
        bool default_rule = false;  // byte pairs of a file that names no rule for words (pre) are cut as by "default"
    };
    struct Encode {
        bool add_special = true;     // begin and end tokens, as the model's file asks for them
        bool parse_special = false;  // names of control tokens in the text are these tokens: for prompts of a chat, not for input of users
    };

    // Throws Exit::bad_input for what `check` finds, Exit::unsupported for a model or a rule that is not known: names what is.
    explicit Tokenizer(TokenizerData data, Options options);
    explicit Tokenizer(TokenizerData data) : Tokenizer(std::move(data), Options()) {}
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    std::vector<int32_t> encode(std::string_view text, Encode how) const;
    std::vector<int32_t> encode(std::string_view text) const { return encode(text, Encode()); }

    // The bytes of a token, which need not be whole characters. Control tokens have none unless `special`. Throws Exit::bad_input for
    // an id out of range.
    std::string piece(int32_t id, bool special = false) const;
    // All pieces, without the blank that encoding put before the text.
    std::string decode(std::span<const int32_t> ids, bool special = false) const;

    int32_t size() const;  // of the vocabulary
    std::optional<int32_t> bos() const;
    std::optional<int32_t> eos() const;
    bool adds_bos() const;
    bool adds_space() const;                // a blank before the text
    std::span<const int32_t> ends() const;  // ids that end what a model says (eos, end of turn...), ascending
    bool is_end(int32_t id) const;
    const TokenizerData& data() const;

   private:
    struct Parts;
    std::unique_ptr<const Parts> parts_;
};

// Text from ids as they come: bytes of a character that is not whole yet are held back.
class TextStream {
   public:
    // `begins`: the ids are those of a whole text, whose blank before it is dropped; false: they go on behind a prompt.
    explicit TextStream(const Tokenizer& tokenizer, bool begins, bool special = false)
        : tokenizer_(tokenizer), drop_blank_(begins && tokenizer.adds_space()), special_(special) {}

    std::string add(int32_t id);
    std::string rest();  // what was held back

   private:
    const Tokenizer& tokenizer_;
    bool drop_blank_, special_;
    std::string held_;
};

}  // namespace quern
