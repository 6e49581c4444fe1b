// A vocabulary, ready for use: what a file says of its tokenizer with the defaults of its kind for what it leaves open, as llama.cpp
// fills them in.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/tokens/pre_rules.h"
#include "libcore/tokens/tokenizer_data.h"

namespace quern::tokens {

// How words become tokens.
enum class Method {
    sentence_piece,  // pairs are merged by the score of what they give
    byte_pairs,      // pairs are merged by rank
    word_piece,      // the longest tokens of each word
};

// What a token is: a sum of these.
enum Attribute : uint8_t {
    is_normal = 1,
    is_unknown = 2,
    is_control = 4,
    is_user_defined = 8,
    is_byte = 16,
    strips_left = 32,
    strips_right = 64
};

class Vocabulary {
   public:
    // Throws Exit::bad_input where `check` does, and Exit::unsupported for a model or a rule for words that is not known here.
    // `default_rule`: byte pairs without a rule's name are cut as by "default".
    Vocabulary(TokenizerData data, bool default_rule);
    Vocabulary(const Vocabulary&) = delete;
    Vocabulary& operator=(const Vocabulary&) = delete;

    const TokenizerData& data() const { return data_; }
    Method method() const { return method_; }
    const PreRule* rule() const { return rule_; }  // of byte pairs

    int32_t size() const { return static_cast<int32_t>(data_.tokens.size()); }
    bool holds(int32_t id) const { return id >= 0 && id < size(); }
    const std::string& text(int32_t id) const { return data_.tokens[static_cast<size_t>(id)]; }
    float score(int32_t id) const { return data_.scores.empty() ? 0 : data_.scores[static_cast<size_t>(id)]; }
    bool is(int32_t id, unsigned attributes) const { return (attributes_[static_cast<size_t>(id)] & attributes) != 0; }
    size_t longest() const { return longest_; }  // bytes of a token

    std::optional<int32_t> find(std::string_view text) const;
    std::optional<int32_t> find_byte(uint8_t byte) const;  // its token <0xHH>

    // After the defaults: ids are there where a flag asks for them.
    std::optional<int32_t> bos, eos, unknown, separator;
    bool add_bos = false, add_eos = false, add_separator = false, space_prefix = false;
    std::vector<int32_t> ends;      // tokens that end what a model says, ascending
    std::vector<int32_t> specials;  // tokens that are found in a text before it is cut, longest first

   private:
    void choose_method(bool default_rule);
    void set_defaults();
    void set_attributes();
    void set_ends();
    void set_specials();
    void set_blanks();

    std::optional<int32_t> special_id(std::optional<int32_t> TokenizerData::*field, std::optional<int32_t> otherwise) const;
    void mark_first(std::span<const std::string_view> names, std::optional<int32_t>& id);
    uint8_t& attributes_of(int32_t id) { return attributes_[static_cast<size_t>(id)]; }

    TokenizerData data_;
    Method method_ = Method::sentence_piece;
    const PreRule* rule_ = nullptr;
    std::vector<uint8_t> attributes_;
    std::unordered_map<std::string_view, int32_t> ids_;
    std::array<std::optional<int32_t>, 256> bytes_;
    size_t longest_ = 0;
};

}  // namespace quern::tokens
