#include "formats/gguf/file/check_tokenizer.h"

#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr std::string_view prefix = "tokenizer.ggml.", tokens_key = "tokenizer.ggml.tokens";

enum class PerToken { any, one };

struct ArrayRow {
    std::string_view key;
    std::array<ValueType, 2> elements;  // either of them
    PerToken per_token;
};
constexpr std::array arrays{
    ArrayRow{tokens_key, {ValueType::string, ValueType::string}, PerToken::any},
    ArrayRow{"tokenizer.ggml.scores", {ValueType::f32, ValueType::f32}, PerToken::one},
    ArrayRow{"tokenizer.ggml.token_type", {ValueType::i32, ValueType::u32}, PerToken::one},
    ArrayRow{"tokenizer.ggml.merges", {ValueType::string, ValueType::string}, PerToken::any},
    ArrayRow{"tokenizer.ggml.added_tokens", {ValueType::string, ValueType::string}, PerToken::any},
    ArrayRow{"tokenizer.ggml.precompiled_charsmap", {ValueType::u8, ValueType::i8}, PerToken::any},
};

constexpr std::array<std::string_view, 4> texts{"tokenizer.ggml.model", "tokenizer.ggml.pre", "tokenizer.chat_template",
                                                "tokenizer.huggingface.json"};

void check_array(const ArrayRow& row, const MetaValue& value, uint64_t tokens) {
    if (!value.array || (value.element != row.elements[0] && value.element != row.elements[1]))
        throw bad_input("metadata \"{}\" is {}, need array of {}", row.key, value.type_name(), row_of(row.elements[0]).name);
    if (row.per_token == PerToken::one && value.count != tokens)
        throw bad_input("metadata \"{}\" has {} elements, need one for each of the {} tokens", row.key, value.count, tokens);
}

// An id, or several; -1 is none.
void check_ids(const Metadata& metadata, const std::string& key, uint64_t tokens) {
    for (const int64_t id : metadata.integers(key))
        if (id != -1 && id != 0xFFFFFFFF && (id < 0 || static_cast<uint64_t>(id) >= tokens))
            throw bad_input("metadata \"{}\" is {}, the vocabulary has {} tokens", escape(key), id, tokens);
}

void check_other(const Metadata& metadata, const std::string& key, uint64_t tokens) {
    const std::string_view rest = std::string_view(key).substr(prefix.size());
    const bool ids = rest.ends_with("_token_id") || rest.ends_with("_token_ids") || rest == "suppress_tokens";
    if (ids && metadata.find(tokens_key)) check_ids(metadata, key, tokens);
    if (rest.starts_with("add_") || rest == "remove_extra_whitespaces") (void)metadata.boolean(key);
}

}  // namespace

void check_tokenizer(const Metadata& metadata) {
    const MetaValue* tokens = metadata.find(tokens_key);
    const uint64_t count = tokens ? tokens->count : 0;
    for (const ArrayRow& row : arrays)
        if (const MetaValue* value = metadata.find(row.key)) check_array(row, *value, count);
    for (const std::string_view key : texts) (void)metadata.text(key);
    for (const auto& [key, value] : metadata.entries())
        if (key.starts_with(prefix)) check_other(metadata, key, count);
}

}  // namespace quern::gguf
