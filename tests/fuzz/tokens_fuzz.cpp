// Tokenizers on any bytes: documents of their facts, which print and read back the same; texts, whose ids are those of the vocabulary
// and decode to them.
#include "libcore/tokens/chat.h"
#include "libcore/tokens/methods.h"
#include "libcore/tokens/pre_rules.h"
#include "libcore/tokens/tokenizer.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quern;

// Every byte is a token, and a few pairs of letters and blanks.
TokenizerData vocabulary() {
    TokenizerData data{.model = "llama"};
    for (int byte = 0; byte < 256; ++byte) data.tokens.push_back(fmt::format("<0x{:02X}>", byte)), data.types.push_back(6);
    for (const char* text : {"▁", "a", "aa", "▁a", "<s>", "é"}) data.tokens.emplace_back(text), data.types.push_back(1);
    data.types[260] = static_cast<int32_t>(TokenType::control);  // <s>
    return data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    expect_only_refusals([&] {
        const std::string once = to_json(parse_tokenizer(text));
        if (to_json(parse_tokenizer(once)) != once) std::abort();
        const Tokenizer tokens(parse_tokenizer(once), {.default_rule = true});
        for (const int32_t id : tokens.encode(text.substr(0, 1000)))
            if (id < 0 || id >= tokens.size()) std::abort();
    });
    static const Tokenizer tokens(vocabulary());
    const bool marked = text.find("▁") != std::string_view::npos;  // a blank to its tokens
    // A first byte of four takes what follows it with it, in bytes: of a blank those of its mark.
    const std::string decoded = tokens.decode(tokens.encode(text, {.add_special = false, .parse_special = false}));
    if (!marked && tokens::with_plain_blanks(decoded) != text) std::abort();
    (void)recognize_chat_form(text);
    if (size == 0) return 0;
    const auto rules = tokens::pre_rules();
    const std::u32string characters = tokens::code_points(text.substr(1));
    size_t last = 0;
    for (const size_t end : tokens::WordSplitter(rules[data[0] % rules.size()]).ends(characters)) {
        if (end <= last) std::abort();
        last = end;
    }
    if (last != characters.size()) std::abort();
    return 0;
}
