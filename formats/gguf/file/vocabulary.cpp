#include "formats/gguf/file/vocabulary.h"

#include "libcore/base/error.h"

namespace quern::gguf {
namespace {

constexpr std::string_view prefix = "tokenizer.ggml.";

std::string key_of(std::string_view name) { return std::string(prefix) + std::string(name); }

std::optional<int32_t> id_of(const Metadata& metadata, std::string_view name) {
    const auto number = name.empty() ? std::nullopt : metadata.integer(key_of(name));
    if (!number || *number == 0xffffffff || *number == -1) return std::nullopt;  // both say: none
    if (*number < 0 || *number > INT32_MAX) throw bad_input("{} is {}, which is not a token", key_of(name), *number);
    return static_cast<int32_t>(*number);
}

std::vector<std::string> texts_of(const Metadata& metadata, std::string_view name) {
    const auto views = metadata.texts(key_of(name));
    return {views.begin(), views.end()};
}

}  // namespace

std::optional<TokenizerData> tokenizer_of(const Metadata& metadata) {
    TokenizerData data;
    data.model = metadata.text(key_of("model")).value_or("");
    data.tokens = texts_of(metadata, "tokens");
    if (data.tokens.empty()) return std::nullopt;
    data.pre = metadata.text(key_of("pre")).value_or("");
    data.name = metadata.text("general.name").value_or("");
    data.architecture = metadata.text("general.architecture").value_or("");
    data.scores = metadata.reals(key_of("scores"));
    for (const int64_t type : metadata.integers(key_of("token_type"))) data.types.push_back(static_cast<int32_t>(type));
    data.merges = texts_of(metadata, "merges");
    for (const SpecialTokenField& field : special_token_fields()) {
        data.*field.id = id_of(metadata, field.key);
        if (!(data.*field.id)) data.*field.id = id_of(metadata, field.other_key);
    }
    for (const TokenizerFlag& flag : tokenizer_flags()) data.*flag.flag = metadata.boolean(key_of(flag.key));
    if (const MetaValue* map = metadata.find(key_of("precompiled_charsmap"))) data.charsmap = map->data.text();
    data.chat_template = metadata.text("tokenizer.chat_template").value_or("");
    check(data);
    return data;
}

Metadata arrays_of(const TokenizerData& data) {
    Metadata out;
    const auto add_texts = [&](std::string_view name, const std::vector<std::string>& items) {
        const std::vector<std::string_view> views(items.begin(), items.end());
        if (!items.empty()) out.add(key_of(name), MetaValue::texts(views));
    };
    add_texts("tokens", data.tokens);
    add_texts("merges", data.merges);
    if (!data.scores.empty())
        out.add(key_of("scores"), MetaValue::numbers(ValueType::f32, data.scores.size(), Bytes::copy_of<float>(data.scores)));
    if (!data.types.empty())
        out.add(key_of("token_type"), MetaValue::numbers(ValueType::i32, data.types.size(), Bytes::copy_of<int32_t>(data.types)));
    if (!data.charsmap.empty())
        out.add(key_of("precompiled_charsmap"),
                MetaValue::numbers(ValueType::u8, data.charsmap.size(), Bytes::copy(data.charsmap.data(), data.charsmap.size())));
    return out;
}

}  // namespace quern::gguf
