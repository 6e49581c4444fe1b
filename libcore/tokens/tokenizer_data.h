// What a file says of its tokenizer: the facts of tokenizer.ggml.*, as they stand. They come from files of others: `check` first.
//
// As a JSON document ({"kind": "tokenizer", "version": 1}, below) they travel with models in other formats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

enum class TokenType : int32_t { undefined = 0, normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

struct TokenizerData {
    std::string model;  // "llama" (SentencePiece BPE), "gpt2" (byte-level BPE), "gemma4", "bert"
    std::string pre;    // the rule that cuts words of byte-level BPE; "": the file names none
    // general.name and general.architecture: special tokens of some models take the blanks beside them.
    std::string name, architecture;

    std::vector<std::string> tokens;  // by id; of any bytes
    std::vector<float> scores;        // of each token, or none
    std::vector<int32_t> types;       // TokenType of each token, or none: all are normal
    std::vector<std::string> merges;  // "left right", best first
    std::string charsmap;             // precompiled_charsmap: normalization of "t5"

    // Ids of special tokens; nothing: the file does not say.
    std::optional<int32_t> bos, eos, eot, eom, unknown, separator, padding, mask;
    std::optional<int32_t> fim_prefix, fim_suffix, fim_middle, fim_padding, fim_repository, fim_separator;
    std::optional<bool> add_bos, add_eos, add_separator, add_space_prefix, remove_extra_whitespaces, lowercase, strip_accents;

    std::string chat_template;  // Jinja; shown and recognized (chat.h), never executed

    bool operator==(const TokenizerData&) const = default;
};

// Rows of special ids and flags: their key in GGUF behind "tokenizer.ggml.", which is their name in JSON, too. Some keys have been
// spelled in two ways: both are read, the first one is written.
struct SpecialTokenField {
    std::string_view key, other_key;
    std::optional<int32_t> TokenizerData::*id;
};
std::span<const SpecialTokenField> special_token_fields();
struct TokenizerFlag {
    std::string_view key;
    std::optional<bool> TokenizerData::*flag;
};
std::span<const TokenizerFlag> tokenizer_flags();

// Throws Exit::bad_input that names what is wrong: counts that differ, types and ids out of range, scores that are not numbers, byte tokens
// that are not <0xHH>, tokens that stand twice, merges without their blank.
void check(const TokenizerData& data);

// The value of "<0x1F>", two upper case digits; nothing: another text.
std::optional<uint8_t> byte_token_value(std::string_view text);

// The JSON document. Texts that are not valid UTF-8 are arrays of their bytes. Reading throws Exit::bad_input, and checks.
std::string to_json(const TokenizerData& data);
TokenizerData parse_tokenizer(std::string_view json);

}  // namespace quern
