#include "libcore/tokens/hugging_face.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace tokens {
namespace {

HuggingFaceParts parts_of(const Vocabulary& vocabulary) {
    switch (vocabulary.method()) {
        case Method::sentence_piece: return sentence_piece_parts(vocabulary);
        case Method::byte_pairs: return byte_pair_parts(vocabulary);
        case Method::word_piece: break;
    }
    throw unsupported("tokenizer model \"{}\" makes tokens otherwise than by merging pairs", escape(vocabulary.data().model));
}

Json added_tokens(const Vocabulary& vocabulary) {
    std::vector<int32_t> ids = vocabulary.specials;
    std::ranges::sort(ids);
    Json all = Json::array();
    for (const int32_t id : ids)
        all.push_back({{"id", id},
                       {"content", vocabulary.text(id)},
                       {"single_word", false},
                       {"lstrip", vocabulary.is(id, strips_left)},
                       {"rstrip", vocabulary.is(id, strips_right)},
                       {"normalized", false},
                       {"special", vocabulary.is(id, is_control | is_unknown)}});
    return all;
}

// What stands around a text.
Json template_of(const Vocabulary& vocabulary) {
    Json single = Json::array(), special = Json::object();
    const auto token = [&](bool asked, std::optional<int32_t> id) {
        if (!asked) return;
        const std::string& name = vocabulary.text(*id);
        single.push_back({{"SpecialToken", {{"id", name}, {"type_id", 0}}}});
        special[name] = {{"id", name}, {"ids", Json::array({*id})}, {"tokens", Json::array({name})}};
    };
    token(vocabulary.add_bos, vocabulary.bos);
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    token(vocabulary.add_separator, vocabulary.separator);
    token(vocabulary.add_eos, vocabulary.eos);
    if (special.empty()) return nullptr;
    Json pair = single;
    for (Json part : single) {
        part.begin().value()["type_id"] = 1;
        if (part.contains("Sequence")) part["Sequence"]["id"] = "B";
        pair.push_back(part);
    }
    return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", special}};
}

Json config_of(const Vocabulary& vocabulary) {
    const TokenizerData& data = vocabulary.data();
    Json config{{"tokenizer_class", "PreTrainedTokenizerFast"},
                {"add_bos_token", vocabulary.add_bos},
                {"add_eos_token", vocabulary.add_eos},
                {"clean_up_tokenization_spaces", false}};
    const auto token = [&](const char* key, std::optional<int32_t> id) {
        if (id) config[key] = vocabulary.text(*id);
    };
    token("bos_token", vocabulary.bos);
    token("eos_token", vocabulary.eos);
    token("unk_token", vocabulary.unknown);
    token("pad_token", data.padding);
    if (!data.chat_template.empty()) config["chat_template"] = data.chat_template;
    return config;
}

void check_texts(const Vocabulary& vocabulary) {
    for (int32_t id = 0; id < vocabulary.size(); ++id)
        if (!is_utf8(vocabulary.text(id))) throw unsupported("token {} is \"{}\", which is not UTF-8", id, escape(vocabulary.text(id)));
}

}  // namespace

Json byte_pair_model(const Vocabulary& vocabulary, Json merges) {
    Json ids = Json::object();
    for (int32_t id = 0; id < vocabulary.size(); ++id) ids[vocabulary.text(id)] = id;
    return {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", std::move(ids)},
            {"merges", std::move(merges)}};
}

}  // namespace tokens

HuggingFaceFiles hugging_face_files(const TokenizerData& data) {
    using namespace tokens;
    const Vocabulary vocabulary(data, false);
    check_texts(vocabulary);
    HuggingFaceParts parts = parts_of(vocabulary);
    const Json document{{"version", "1.0"},
                        {"truncation", nullptr},
                        {"padding", nullptr},
                        {"added_tokens", added_tokens(vocabulary)},
                        {"normalizer", std::move(parts.normalizer)},
                        {"pre_tokenizer", std::move(parts.pre_tokenizer)},
                        {"post_processor", template_of(vocabulary)},
                        {"decoder", std::move(parts.decoder)},
                        {"model", std::move(parts.model)}};
    return {json_document(document, 1), json_document(config_of(vocabulary), 1)};
}

}  // namespace quern
