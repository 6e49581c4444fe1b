// SentencePiece by scores: neighbours whose token has the highest score are merged first.
#include "libcore/base/error.h"
#include "libcore/tokens/methods.h"
#include "libcore/tokens/pair_merger.h"

namespace quern::tokens {

namespace {

constexpr std::string_view marked_blank = "\xE2\x96\x81";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    for (size_t at = 0; (at = text.find(from)) != std::string_view::npos; text.remove_prefix(at + from.size())) {
        result += text.substr(0, at);
        result += to;
    }
    return result += text;
}

class SentencePiece : public TextEncoder {
   public:
    explicit SentencePiece(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    void encode(std::string_view text, bool first, std::vector<int32_t>& ids) const override {
        const std::string marked = with_marked_blanks(first && vocabulary_.space_prefix ? " " + std::string(text) : text);
        PairMerger merger;
        for (size_t at = 0; at < marked.size();) {
            const std::string_view symbol = std::string_view(marked).substr(at, announced_bytes(marked[at]));
            merger.add(symbol, -1);
            at += symbol.size();
        }
        merger.run([this](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
            const auto id = vocabulary_.find({left.text.data(), left.text.size() + right.text.size()});
            if (!id) return std::nullopt;
            return Merge{-static_cast<double>(vocabulary_.score(*id)), *id};
        });
        merger.take([&](const Symbol& symbol) { append(symbol.text, ids); });
    }

    std::string bytes_of(std::string_view token) const override { return with_plain_blanks(token); }

   private:
    // A token, or a token for each byte; the unknown one where there is none.
    void append(std::string_view symbol, std::vector<int32_t>& ids) const {
        if (const auto id = vocabulary_.find(symbol)) return ids.push_back(*id);
        for (const char& byte : symbol) {
            auto id = vocabulary_.find_byte(static_cast<uint8_t>(byte));
            if (!id) id = vocabulary_.find({&byte, 1});
            if (!id) id = vocabulary_.unknown;
            if (!id) throw bad_input("the tokenizer has no token for byte 0x{:02X}, and no unknown one", static_cast<uint8_t>(byte));
            ids.push_back(*id);
        }
    }

    const Vocabulary& vocabulary_;
};

}  // namespace

std::string with_marked_blanks(std::string_view text) { return replaced(text, " ", marked_blank); }
std::string with_plain_blanks(std::string_view text) { return replaced(text, marked_blank, " "); }

std::unique_ptr<TextEncoder> sentence_piece_encoder(const Vocabulary& vocabulary) { return std::make_unique<SentencePiece>(vocabulary); }

}  // namespace quern::tokens
