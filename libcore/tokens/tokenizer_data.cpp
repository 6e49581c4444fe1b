#include "libcore/tokens/tokenizer_data.h"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {

namespace {

using Data = TokenizerData;

constexpr std::array special_tokens = {
    SpecialTokenField{"bos_token_id", {}, &Data::bos},
    SpecialTokenField{"eos_token_id", {}, &Data::eos},
    SpecialTokenField{"eot_token_id", {}, &Data::eot},
    SpecialTokenField{"eom_token_id", {}, &Data::eom},
    SpecialTokenField{"unknown_token_id", {}, &Data::unknown},
    SpecialTokenField{"seperator_token_id", "separator_token_id", &Data::separator},
    SpecialTokenField{"padding_token_id", {}, &Data::padding},
    SpecialTokenField{"mask_token_id", {}, &Data::mask},
    SpecialTokenField{"fim_pre_token_id", "prefix_token_id", &Data::fim_prefix},
    SpecialTokenField{"fim_suf_token_id", "suffix_token_id", &Data::fim_suffix},
    SpecialTokenField{"fim_mid_token_id", "middle_token_id", &Data::fim_middle},
    SpecialTokenField{"fim_pad_token_id", {}, &Data::fim_padding},
    SpecialTokenField{"fim_rep_token_id", {}, &Data::fim_repository},
    SpecialTokenField{"fim_sep_token_id", {}, &Data::fim_separator},
};

constexpr std::array flags = {
    TokenizerFlag{"add_bos_token", &Data::add_bos},
    TokenizerFlag{"add_eos_token", &Data::add_eos},
    TokenizerFlag{"add_sep_token", &Data::add_separator},
    TokenizerFlag{"add_space_prefix", &Data::add_space_prefix},
    TokenizerFlag{"remove_extra_whitespaces", &Data::remove_extra_whitespaces},
    TokenizerFlag{"normalizer.lowercase", &Data::lowercase},
    TokenizerFlag{"normalizer.strip_accents", &Data::strip_accents},
};

void check_count(std::string_view what, size_t count, size_t tokens) {
    if (count != 0 && count != tokens) throw bad_input("tokenizer {}: {}, need 0 or {}, one per token", what, count, tokens);
}

void check_tokens(const Data& data) {
    if (data.tokens.empty()) throw bad_input("tokenizer tokens: there are none");
    if (data.tokens.size() > std::numeric_limits<int32_t>::max()) throw bad_input("tokenizer tokens: {} are too many", data.tokens.size());
    std::unordered_map<std::string_view, size_t> seen;
    seen.reserve(data.tokens.size());
    for (size_t id = 0; id < data.tokens.size(); ++id)
        if (const auto [first, added] = seen.try_emplace(data.tokens[id], id); !added && !data.tokens[id].empty())
            throw bad_input(R"(tokenizer tokens[{}]: "{}" is token {}, too)", id, escape(data.tokens[id]), first->second);
}

void check_types(const Data& data) {
    check_count("token types", data.types.size(), data.tokens.size());
    for (size_t id = 0; id < data.types.size(); ++id) {
        if (data.types[id] < 0 || data.types[id] > static_cast<int32_t>(TokenType::byte))
            throw bad_input("tokenizer token_type[{}]: {} is not a type of token (0 to 6)", id, data.types[id]);
        if (data.types[id] == static_cast<int32_t>(TokenType::byte) && !byte_token_value(data.tokens[id]))
            throw bad_input(R"(tokenizer tokens[{}]: "{}" is a byte token, need <0xHH>)", id, escape(data.tokens[id]));
    }
}

void check_scores(const Data& data) {
    check_count("scores", data.scores.size(), data.tokens.size());
    for (size_t id = 0; id < data.scores.size(); ++id)
        if (!std::isfinite(data.scores[id])) throw bad_input("tokenizer scores[{}]: {} is not finite", id, data.scores[id]);
}

void check_merges(const Data& data) {
    if (data.merges.size() > std::numeric_limits<int32_t>::max()) throw bad_input("tokenizer merges: {} are too many", data.merges.size());
    for (size_t i = 0; i < data.merges.size(); ++i)
        if (const size_t blank = data.merges[i].find(' ', 1); blank == std::string::npos || blank + 1 == data.merges[i].size())
            throw bad_input(R"(tokenizer merges[{}]: "{}" is not a pair with a blank between)", i, escape(data.merges[i]));
}

}  // namespace

std::span<const SpecialTokenField> special_token_fields() { return special_tokens; }
std::span<const TokenizerFlag> tokenizer_flags() { return flags; }

void check(const TokenizerData& data) {
    check_tokens(data);
    check_types(data);
    check_scores(data);
    check_merges(data);
    for (const SpecialTokenField& field : special_tokens)
        if (const auto id = data.*field.id; id && (*id < 0 || static_cast<size_t>(*id) >= data.tokens.size()))
            throw bad_input("tokenizer {}: {} is out of range, there are {} tokens", field.key, *id, data.tokens.size());
}

std::optional<uint8_t> byte_token_value(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
    unsigned value = 0;
    for (const char c : text.substr(3, 2)) {
        if (c >= '0' && c <= '9')
            value = value * 16 + static_cast<unsigned>(c - '0');
        else if (c >= 'A' && c <= 'F')
            value = value * 16 + static_cast<unsigned>(c - 'A' + 10);
        else
            return std::nullopt;
    }
    return static_cast<uint8_t>(value);
}

}  // namespace quern
