// Byte-level byte pair encoding: each word's neighbours are merged by rank.
#include <array>
#include <limits>
#include <unordered_map>

#include "libcore/tokens/byte_letters.h"
#include "libcore/tokens/methods.h"
#include "libcore/tokens/pair_merger.h"

namespace quern::tokens {

namespace {

struct ByteLetters {
    std::array<std::string, 256> letters;
    std::array<std::optional<uint8_t>, 512> bytes;

    ByteLetters() {
        char32_t unseen = 256;
        for (char32_t byte = 0; byte < 256; ++byte) {
            const bool seen = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
            const char32_t letter = seen ? byte : unseen++;
            append_utf8(letters[byte], letter);
            bytes[letter] = static_cast<uint8_t>(byte);
        }
    }
};

const ByteLetters& byte_letters() {
    static const ByteLetters table;
    return table;
}

// The ranks of pairs, by numbers of the texts that merges name.
class Ranks {
   public:
    explicit Ranks(const std::vector<std::string>& merges) {
        for (size_t rank = 0; rank < merges.size(); ++rank) {
            const std::string_view merge = merges[rank];
            const size_t blank = merge.find(' ', 1);
            const std::string_view left = merge.substr(0, blank), right = merge.substr(blank + 1);
            const int32_t joined = number(std::string(left) + std::string(right));
            ranks_.try_emplace(key(number(std::string(left)), number(std::string(right))), Merge{static_cast<double>(rank), joined});
        }
    }
    int32_t find(const std::string& text) const {
        const auto found = numbers_.find(text);
        return found == numbers_.end() ? -1 : found->second;
    }
    std::optional<Merge> operator()(const Symbol& left, const Symbol& right) const {
        if (left.id < 0 || right.id < 0) return std::nullopt;
        const auto found = ranks_.find(key(left.id, right.id));
        return found == ranks_.end() ? std::optional<Merge>() : found->second;
    }

   private:
    int32_t number(std::string text) { return numbers_.try_emplace(std::move(text), static_cast<int32_t>(numbers_.size())).first->second; }
    static uint64_t key(int32_t left, int32_t right) { return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right); }

    std::unordered_map<std::string, int32_t> numbers_;
    std::unordered_map<uint64_t, Merge> ranks_;
};

class BytePairs : public TextEncoder {
   public:
    explicit BytePairs(const Vocabulary& vocabulary)
        : vocabulary_(vocabulary), rule_(*vocabulary.rule()), splitter_(rule_), ranks_(vocabulary.data().merges) {}

    void encode(std::string_view text, bool /*first*/, std::vector<int32_t>& ids) const override {
        const std::u32string characters = code_points(rule_.bytes ? std::string(text) : with_marked_blanks(text));
        PairMerger merger;
        size_t begin = 0;
        for (const size_t end : splitter_.ends(characters)) {
            encode_word(std::u32string_view(characters).substr(begin, end - begin), merger, ids);
            begin = end;
        }
    }

    std::string bytes_of(std::string_view token) const override {
        if (!rule_.bytes) return with_plain_blanks(token);
        std::string bytes;
        for (const char32_t letter : code_points(token)) {
            if (const auto byte = byte_of_letter(letter))
                bytes.push_back(static_cast<char>(*byte));
            else
                append_utf8(bytes, letter);
        }
        return bytes;
    }

   private:
    void encode_word(std::u32string_view characters, PairMerger& merger, std::vector<int32_t>& ids) const {
        const std::string word = rule_.bytes ? in_letters(utf8(characters)) : utf8(characters);
        const bool whole = rule_.ignore_merges || (rule_.whole_newlines && word.find_first_not_of('\n') == std::string::npos);
        if (whole)
            if (const auto id = vocabulary_.find(word)) return ids.push_back(*id);
        for (size_t at = 0; at < word.size();) {
            const std::string_view symbol = std::string_view(word).substr(at, announced_bytes(word[at]));
            merger.add(symbol, ranks_.find(std::string(symbol)));
            at += symbol.size();
        }
        merger.run(ranks_);
        merger.take([&](const Symbol& symbol) { append(symbol.text, ids); });
    }

    static std::string in_letters(const std::string& bytes) {
        std::string letters;
        for (const char byte : bytes) letters += letter_of_byte(static_cast<uint8_t>(byte));
        return letters;
    }

    // A token, or those of its bytes that are.
    void append(std::string_view symbol, std::vector<int32_t>& ids) const {
        if (const auto id = vocabulary_.find(symbol)) return ids.push_back(*id);
        for (const char& byte : symbol)
            if (const auto id = rule_.bytes ? vocabulary_.find({&byte, 1}) : vocabulary_.find_byte(static_cast<uint8_t>(byte)))
                ids.push_back(*id);
    }

    const Vocabulary& vocabulary_;
    const PreRule& rule_;
    WordSplitter splitter_;
    Ranks ranks_;
};

}  // namespace

const std::string& letter_of_byte(uint8_t byte) { return byte_letters().letters[byte]; }

std::optional<uint8_t> byte_of_letter(char32_t letter) {
    const auto& bytes = byte_letters().bytes;
    return letter < bytes.size() ? bytes[letter] : std::nullopt;
}

std::unique_ptr<TextEncoder> byte_pair_encoder(const Vocabulary& vocabulary) { return std::make_unique<BytePairs>(vocabulary); }

}  // namespace quern::tokens
