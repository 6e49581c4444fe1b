#include "libcore/tokens/tokenizer.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/tokens/methods.h"
#include "libcore/tokens/special_finder.h"
#include "libcore/tokens/vocabulary.h"

namespace quern {

namespace {

std::unique_ptr<tokens::TextEncoder> encoder_of(const tokens::Vocabulary& vocabulary) {
    switch (vocabulary.method()) {
        case tokens::Method::sentence_piece: return sentence_piece_encoder(vocabulary);
        case tokens::Method::byte_pairs: return byte_pair_encoder(vocabulary);
        case tokens::Method::word_piece: return word_piece_encoder(vocabulary);
    }
    throw bug("a tokenizer without method");
}

}  // namespace

struct Tokenizer::Parts {
    Parts(TokenizerData data, const Options& options)
        : vocabulary(std::move(data), options.default_rule), finder(vocabulary), encoder(encoder_of(vocabulary)) {}
    tokens::Vocabulary vocabulary;
    tokens::SpecialFinder finder;
    std::unique_ptr<tokens::TextEncoder> encoder;
};

Tokenizer::Tokenizer(TokenizerData data, Options options) : parts_(std::make_unique<const Parts>(std::move(data), options)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::vector<int32_t> Tokenizer::encode(std::string_view text, Encode how) const {
    const tokens::Vocabulary& vocabulary = parts_->vocabulary;
    std::vector<int32_t> ids;
    if (how.add_special && vocabulary.add_bos) ids.push_back(*vocabulary.bos);
    bool first = true;
    for (const tokens::Fragment& fragment : parts_->finder.fragments(text, how.parse_special)) {
        if (fragment.token)
            ids.push_back(*fragment.token);
        else
            parts_->encoder->encode(fragment.text, first, ids);
        first = fragment.token.has_value();
    }
    if (how.add_special && vocabulary.add_separator) ids.push_back(*vocabulary.separator);
    if (how.add_special && vocabulary.add_eos) ids.push_back(*vocabulary.eos);
    return ids;
}

std::string Tokenizer::piece(int32_t id, bool special) const {
    using namespace tokens;
    const Vocabulary& vocabulary = parts_->vocabulary;
    if (!vocabulary.holds(id)) throw bad_input("token {} is out of range, there are {}", id, vocabulary.size());
    const std::string& text = vocabulary.text(id);
    if (vocabulary.is(id, is_control | is_unknown)) return special ? text : "";
    if (vocabulary.is(id, is_user_defined)) return text;
    if (vocabulary.is(id, is_normal)) return parts_->encoder->bytes_of(text);
    if (vocabulary.is(id, is_byte)) return std::string(1, static_cast<char>(*byte_token_value(text)));
    return "";
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool special) const {
    TextStream stream(*this, true, special);
    std::string text;
    for (const int32_t id : ids) text += stream.add(id);
    return text + stream.rest();
}

int32_t Tokenizer::size() const { return parts_->vocabulary.size(); }
std::optional<int32_t> Tokenizer::bos() const { return parts_->vocabulary.bos; }
std::optional<int32_t> Tokenizer::eos() const { return parts_->vocabulary.eos; }
bool Tokenizer::adds_bos() const { return parts_->vocabulary.add_bos; }
bool Tokenizer::adds_space() const { return parts_->vocabulary.space_prefix; }
std::span<const int32_t> Tokenizer::ends() const { return parts_->vocabulary.ends; }
bool Tokenizer::is_end(int32_t id) const { return std::ranges::binary_search(ends(), id); }
const TokenizerData& Tokenizer::data() const { return parts_->vocabulary.data(); }

namespace {

// How many bytes at the end of `text` are the beginning of a character.
size_t unfinished(std::string_view text) {
    for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
        const char byte = text[text.size() - back];
        if ((static_cast<unsigned char>(byte) & 0xC0) == 0x80) continue;
        return tokens::announced_bytes(byte) > back ? back : 0;
    }
    return 0;
}

}  // namespace

std::string TextStream::add(int32_t id) {
    std::string piece = tokenizer_.piece(id, special_);
    if (drop_blank_ && !piece.empty()) {
        if (piece.front() == ' ') piece.erase(0, 1);
        drop_blank_ = false;
    }
    held_ += piece;
    const size_t ready = held_.size() - unfinished(held_);
    std::string text = held_.substr(0, ready);
    held_.erase(0, ready);
    return text;
}

std::string TextStream::rest() { return std::exchange(held_, {}); }

}  // namespace quern
