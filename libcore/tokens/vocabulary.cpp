#include "libcore/tokens/vocabulary.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tokens/special_names.h"

namespace quern::tokens {

namespace {

using Id = std::optional<int32_t>;

// What a kind of tokenizer takes where its file says nothing.
struct Model {
    std::string_view name;
    Method method;
    std::string_view rule = {};  // "": the file names it
    Id bos = {}, eos = {}, unknown = {}, separator = {};
    bool add_bos = false, add_eos = false, add_separator = false, space_prefix = false;
};

const Model models[] = {
    {.name = "llama", .method = Method::sentence_piece, .bos = 1, .eos = 2, .unknown = 0, .add_bos = true, .space_prefix = true},
    {.name = "gpt2", .method = Method::byte_pairs, .bos = 11, .eos = 11},
    {.name = "gemma4", .method = Method::byte_pairs, .rule = "gemma4"},
    {.name = "bert", .method = Method::word_piece, .bos = 101, .unknown = 100, .separator = 102, .add_bos = true, .add_separator = true},
};

const Model& model_of(const TokenizerData& data) {
    std::vector<std::string> known;
    for (const Model& model : models) {
        if (model.name == data.model) return model;
        known.emplace_back(model.name);
    }
    throw unsupported(R"(tokenizer model "{}" is not known; known are {})", escape(data.model), join(known, ", "));
}

const PreRule& rule_of(const std::string& name, bool default_rule) {
    if (name.empty() && !default_rule)
        throw unsupported("the tokenizer does not say by which rule it cuts words (tokenizer.ggml.pre)")
            .with_hint("the ids of a wrong rule are those of another text; the rule \"default\" is what llama.cpp falls back on");
    if (const PreRule* rule = pre_rule_named(name.empty() ? "default" : name)) return *rule;
    throw unsupported(R"(tokenizer rule (pre) "{}" is not known; known are {})", escape(name), join(pre_rule_names(), ", "));
}

uint8_t attributes_of_type(int32_t type) {
    switch (static_cast<TokenType>(type)) {
        case TokenType::normal: return is_normal;
        case TokenType::unknown: return is_unknown;
        case TokenType::control: return is_control;
        case TokenType::user_defined: return is_user_defined;
        case TokenType::byte: return is_byte;
        case TokenType::unused:
        case TokenType::undefined: break;
    }
    return 0;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::string small(std::string_view text) {
    std::string to(text);
    for (char& c : to) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return to;
}

}  // namespace

Vocabulary::Vocabulary(TokenizerData data, bool default_rule) : data_(std::move(data)) {
    check(data_);
    choose_method(default_rule);
    for (int32_t id = 0; id < size(); ++id) {
        auto& text = data_.tokens[static_cast<size_t>(id)];
        if (text.empty()) text = fmt::format("[EMPTY_{}]", id);
        longest_ = std::max(longest_, text.size());
    }
    ids_.reserve(data_.tokens.size());
    for (int32_t id = 0; id < size(); ++id) ids_.emplace(text(id), id);
    for (int32_t id = 0; id < size(); ++id)
        if (const auto value = byte_token_value(text(id))) bytes_[*value] = id;
    set_defaults();
    set_attributes();
    set_ends();
    set_specials();
    set_blanks();
}

std::optional<int32_t> Vocabulary::find(std::string_view text) const {
    if (text.size() > longest_) return std::nullopt;
    const auto found = ids_.find(text);
    return found == ids_.end() ? Id() : found->second;
}

std::optional<int32_t> Vocabulary::find_byte(uint8_t byte) const { return bytes_[byte]; }

void Vocabulary::choose_method(bool default_rule) {
    const Model& model = model_of(data_);
    method_ = model.method;
    if (method_ != Method::byte_pairs) return;
    rule_ = &rule_of(model.rule.empty() ? data_.pre : std::string(model.rule), default_rule);
    if (data_.merges.empty() && data_.pre != "kimi-k2") throw bad_input("tokenizer merges: there are none");
}

std::optional<int32_t> Vocabulary::special_id(std::optional<int32_t> TokenizerData::*field, std::optional<int32_t> otherwise) const {
    if (data_.*field) return data_.*field;
    return otherwise && holds(*otherwise) ? otherwise : std::nullopt;
}

void Vocabulary::set_defaults() {
    const Model& model = model_of(data_);
    bos = special_id(&TokenizerData::bos, rule_ && !rule_->default_bos ? std::nullopt : model.bos);
    eos = special_id(&TokenizerData::eos, model.eos);
    unknown = special_id(&TokenizerData::unknown, model.unknown);
    separator = special_id(&TokenizerData::separator, model.separator);
    add_bos = data_.add_bos.value_or(model.add_bos || (rule_ && rule_->add_bos));
    if (rule_ && rule_->whole_newlines) add_bos = true;  // gemma4's files say otherwise, and are wrong
    add_eos = data_.add_eos.value_or(model.add_eos);
    add_separator = model.add_separator;
    space_prefix = data_.add_space_prefix.value_or(model.space_prefix);
    const auto need = [](bool flag, std::string_view name, const Id& id) {
        if (flag && !id) throw bad_input("tokenizer add_{0}_token: there is no {0}_token_id", name);
    };
    need(add_bos, "bos", bos);
    need(add_eos, "eos", eos);
    need(add_separator, "sep", separator);
}

void Vocabulary::set_attributes() {
    attributes_.assign(data_.tokens.size(), is_normal);
    for (size_t id = 0; id < data_.types.size(); ++id) attributes_[id] = attributes_of_type(data_.types[id]);
}

// The id that the file names, or the first name that is a token, which is a control token then.
void Vocabulary::mark_first(std::span<const std::string_view> names, std::optional<int32_t>& id) {
    for (const std::string_view name : names) {
        if (id) return;
        if ((id = find(name))) attributes_of(*id) |= is_control;
    }
}

void Vocabulary::set_ends() {
    Id eot = data_.eot, eom = data_.eom, padding = data_.fim_padding, repository = data_.fim_repository, separating = data_.fim_separator;
    Id prefix = data_.fim_prefix, suffix = data_.fim_suffix, middle = data_.fim_middle;
    mark_first(end_of_turn_names, eot);
    mark_first(end_of_message_names, eom);
    mark_first(fim_prefix_names, prefix);
    mark_first(fim_suffix_names, suffix);
    mark_first(fim_middle_names, middle);
    mark_first(fim_padding_names, padding);
    mark_first(fim_repository_names, repository);
    mark_first(fim_separator_names, separating);
    std::vector<int32_t> found;
    for (const std::string_view name : end_names)
        if (const Id id = find(name)) {
            found.push_back(*id);
            attributes_of(*id) |= is_control;
        }
    for (const std::string_view name : shown_names)
        if (const Id id = find(name)) attributes_of(*id) = is_user_defined;
    for (const Id& id : {eos, eot, eom, padding, repository, separating})
        if (id) found.push_back(*id);

    const auto ends_at = [&](std::string_view name) {
        const Id id = find(name);
        return id && std::ranges::find(found, *id) != found.end();
    };
    const auto drop = [&](std::string_view name, Attribute instead) {
        const int32_t id = *find(name);
        std::erase(found, id);
        attributes_of(id) = instead;
    };
    const bool calls = ends_at("<|call|>") || ends_at("<|calls|>");
    if (calls && (ends_at("<|return|>") || ends_at("<|flush|>")) && ends_at("<|end|>")) drop("<|end|>", is_user_defined);
    if ((ends_at("<|tool_response>") || ends_at("<|plamo:eos|>")) && ends_at("</s>")) drop("</s>", is_normal);

    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    ends = std::move(found);
}

void Vocabulary::set_specials() {
    for (int32_t id = 0; id < size(); ++id)
        if (is(id, is_control | is_user_defined | is_unknown)) specials.push_back(id);
    std::ranges::stable_sort(specials, [this](int32_t a, int32_t b) { return text(a).size() > text(b).size(); });
}

// Special tokens that take the blanks beside them, of models that are known by name.
void Vocabulary::set_blanks() {
    const auto set = [this](std::string_view token, Attribute attribute, bool on) {
        if (const Id id = find(token))
            attributes_of(*id) = static_cast<uint8_t>(on ? attributes_of(*id) | attribute : attributes_of(*id) & ~attribute);
    };
    const std::string name = small(data_.name);
    if (contains_any(data_.pre, {"jina-v2-de", "jina-v2-es", "jina-v2-code"}) ||
        contains_any(data_.architecture, {"nomic-bert-moe", "jina-bert-v3"})) {
        set("<mask>", strips_left, true);
    } else if (contains_any(name, {"phi-3", "phi3"})) {
        for (const int32_t id : specials) attributes_of(id) |= strips_right;
        set("</s>", strips_right, true);
        for (const auto* token : {"<unk>", "<s>", "<|endoftext|>"}) set(token, strips_right, false);
    } else if (contains_any(name, {"modern-bert"})) {
        set("[MASK]", strips_left, true);
    }
}

}  // namespace quern::tokens
