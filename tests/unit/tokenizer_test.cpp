// Tokenizers: ids of small vocabularies by hand, what is refused, laws, time on hostile texts.
#include <boost/test/unit_test.hpp>
#include <ctime>

#include "libcore/base/error.h"
#include "libcore/tokens/pre_rules.h"
#include "libcore/tokens/tokenizer.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(tokenizer)

namespace {

using Ids = std::vector<int32_t>;
constexpr auto text_only = Tokenizer::Encode{.add_special = false, .parse_special = false};

// <unk> <s> </s>, a token for each byte from id 3 on, then these with scores -1, -2...
TokenizerData sentence_piece(const std::vector<std::string>& tokens) {
    TokenizerData data{.model = "llama", .tokens = {"<unk>", "<s>", "</s>"}, .types = {2, 3, 3}};
    for (int byte = 0; byte < 256; ++byte) data.tokens.push_back(fmt::format("<0x{:02X}>", byte)), data.types.push_back(6);
    data.scores.assign(data.tokens.size(), 0);
    for (const std::string& token : tokens) {
        data.scores.push_back(-1 - static_cast<float>(data.tokens.size() - 259));
        data.tokens.push_back(token);
        data.types.push_back(1);
    }
    return data;
}

// GPT-2's letters, of ids 0 to 255 in the order of the bytes, then what merges make.
TokenizerData byte_pairs(const std::string& pre, const std::vector<std::string>& merges) {
    TokenizerData data{.model = "gpt2", .pre = pre, .merges = merges};
    char32_t unseen = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
        const bool seen = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
        data.tokens.emplace_back();
        append_utf8(data.tokens.back(), seen ? byte : unseen++);
    }
    for (std::string merge : merges) data.tokens.push_back(merge.erase(merge.find(' ', 1), 1));
    return data;
}

std::string refusal(TokenizerData data, Exit exit = Exit::bad_input) {
    try {
        Tokenizer refused{std::move(data)};
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == exit));
        return error.message();
    }
    return "accepted";
}

std::vector<std::string> words(const char* rule, const std::string& text) {
    const tokens::WordSplitter splitter(*tokens::pre_rule_named(rule));
    const std::u32string characters = tokens::code_points(text);
    std::vector<std::string> found;
    size_t begin = 0;
    for (const size_t end : splitter.ends(characters)) {
        found.push_back(tokens::utf8(std::u32string_view(characters).substr(begin, end - begin)));
        begin = end;
    }
    return found;
}

using Words = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(the_best_score_is_merged_first) {
    const Tokenizer tokens(sentence_piece({"▁", "a", "b", "ab", "▁a", "bb"}));
    BOOST_TEST(tokens.encode("ab") == (Ids{1, 259, 262}));                // "ab" before "▁a"
    BOOST_TEST(tokens.encode("bbb", text_only) == (Ids{259, 264, 261}));  // of equals the leftmost
    BOOST_TEST(tokens.encode("") == (Ids{1}));
    BOOST_TEST(tokens.encode("é", text_only) == (Ids{259, 3 + 0xC3, 3 + 0xA9}));
}

BOOST_AUTO_TEST_CASE(a_blank_goes_before_each_text_behind_a_special_token) {
    const Tokenizer tokens(sentence_piece({"▁", "a", "▁a"}));
    const auto with_names = Tokenizer::Encode{.add_special = true, .parse_special = true};
    BOOST_TEST(tokens.encode("a</s>a", with_names) == (Ids{1, 261, 2, 261}));
    BOOST_TEST(tokens.encode("a</s>", text_only).size() == 5U);
    auto plain = sentence_piece({"▁", "a", "▁a"});
    plain.add_space_prefix = false;
    BOOST_TEST(Tokenizer(plain).encode("a", text_only) == (Ids{260}));
}

BOOST_AUTO_TEST_CASE(ranks_decide_among_pairs_of_bytes) {
    const Tokenizer tokens(byte_pairs("gpt-2", {"b c", "a b", "a bc", "Ġ a"}));
    BOOST_TEST(tokens.encode("abc", text_only) == (Ids{258}));
    BOOST_TEST(tokens.encode(" aab", text_only) == (Ids{259, 257}));
    BOOST_TEST(tokens.encode(" a", text_only) == (Ids{259}));
}

BOOST_AUTO_TEST_CASE(a_rule_may_keep_whole_tokens) {
    auto data = byte_pairs("llama-bpe", {"x y"});
    data.tokens.emplace_back("zzz");
    data.add_bos = false;
    BOOST_TEST(Tokenizer(data).encode("zzz") == (Ids{257}));
    data.pre = "gpt-2";
    BOOST_TEST(Tokenizer(data).encode("zzz").size() == 3U);
}

BOOST_AUTO_TEST_CASE(rules_cut_words) {
    BOOST_TEST(words("gpt-2", "I'm  12 x!?") == (Words{"I", "'m", " ", " 12", " x", "!?"}));
    BOOST_TEST(words("llama-bpe", "I'M 1234\r\n x") == (Words{"I", "'M", " ", "123", "4", "\r\n", " x"}));
    BOOST_TEST(words("qwen2", "a12") == (Words{"a", "1", "2"}));
    BOOST_TEST(words("gpt-4o", "HTMLParser don't") == (Words{"HTMLParser", " don't"}));
    BOOST_TEST(words("tekken", "ÀBBB") == (Words{"À", "BBB"}));
    BOOST_TEST(words("superbpe", "x1234567") == (Words{"x", "1", "234", "567"}));
    BOOST_TEST(words("tiny_aya", "12345") == (Words{"12", "345"}));
    BOOST_TEST(words("deepseek-coder", "ab, 12") == (Words{"ab", ",", " ", "1", "2"}));
    BOOST_TEST(words("gpt-2", "a\u3000b") == (Words{"a", "\u3000", "b"}));
}

BOOST_AUTO_TEST_CASE(every_rule_keeps_every_character) {
    const std::string text = "Aé 12345  x\r\n\t'll日本語 ＡＢ…\u0301🙂\u3000<sentinel:1>IMGIMGAZ  ";
    for (const std::string& name : tokens::pre_rule_names()) {
        std::string joined;
        for (const std::string& word : words(name.c_str(), text)) {
            BOOST_TEST(!word.empty(), name);
            joined += word;
        }
        BOOST_TEST(joined == text, name);
    }
}

BOOST_AUTO_TEST_CASE(decoding_is_the_inverse) {
    const Tokenizer pieces(sentence_piece({"▁", "a", "b", "ab", "▁a"})), pairs(byte_pairs("qwen2", {"a b"}));
    for (const std::string text : {"", "ab", " a", "  a b ", "naïve 日本 🙂\n", "\xFF\xC3"}) {
        BOOST_TEST(pieces.decode(pieces.encode(text)) == text);
        if (text.find('\xFF') == std::string::npos) BOOST_TEST(pairs.decode(pairs.encode(text)) == text);
    }
    BOOST_TEST(pairs.decode(pairs.encode("\xFF")) == "\uFFFD");
}

BOOST_AUTO_TEST_CASE(a_stream_holds_back_what_is_no_character_yet) {
    const Tokenizer tokens(byte_pairs("gpt-2", {"a b"}));
    TextStream stream(tokens, true);
    std::string shown;
    for (const int32_t id : {0xF0, 0x9F, 0x99}) shown += stream.add(id);
    BOOST_TEST(shown.empty());
    BOOST_TEST(stream.add(0x82) == "🙂");
    BOOST_TEST(stream.add(0xE6).empty());
    BOOST_TEST(stream.rest() == "\xE6");
    BOOST_CHECK_THROW((void)stream.add(-1), Error);
    BOOST_CHECK_THROW((void)stream.add(257), Error);
}

BOOST_AUTO_TEST_CASE(special_tokens_are_found_longest_first) {
    auto data = byte_pairs("gpt-2", {"a b"});
    data.types.assign(data.tokens.size(), 1);
    for (const char* name : {"<x>", "<x><y>", "<|im_end|>"}) data.tokens.emplace_back(name), data.types.push_back(4);
    const Tokenizer tokens(data);
    BOOST_TEST(tokens.encode("a<x><y><x>") == (Ids{97, 258, 257}));
    BOOST_TEST(tokens.encode("<|im_end|>").size() > 1U);  // known by its name: a control token
    BOOST_TEST(tokens.encode("<|im_end|>", {.add_special = true, .parse_special = true}) == (Ids{259}));
    BOOST_TEST(tokens.is_end(259));
    BOOST_TEST(tokens.piece(259).empty());
    BOOST_TEST(tokens.piece(259, true) == "<|im_end|>");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named) {
    const auto good = sentence_piece({"a"});
    const auto with = [&](const auto& change) {
        auto data = good;
        change(data);
        return refusal(data);
    };
    BOOST_TEST(refusal(good) == "accepted");
    BOOST_TEST(with([](auto& d) { d.scores.pop_back(); }) == "tokenizer scores: 259, need 0 or 260, one per token");
    BOOST_TEST(with([](auto& d) { d.types.push_back(1); }) == "tokenizer token types: 261, need 0 or 260, one per token");
    BOOST_TEST(with([](auto& d) { d.types[259] = 7; }) == "tokenizer token_type[259]: 7 is not a type of token (0 to 6)");
    BOOST_TEST(with([](auto& d) { d.tokens[3] = "<0x-1>"; }) == R"(tokenizer tokens[3]: "<0x-1>" is a byte token, need <0xHH>)");
    BOOST_TEST(with([](auto& d) { d.tokens[259] = "<s>"; }) == R"(tokenizer tokens[259]: "<s>" is token 1, too)");
    BOOST_TEST(with([](auto& d) { d.scores[4] = std::numeric_limits<float>::quiet_NaN(); }) == "tokenizer scores[4]: nan is not finite");
    BOOST_TEST(with([](auto& d) { d.eos = 260; }) == "tokenizer eos_token_id: 260 is out of range, there are 260 tokens");
    BOOST_TEST(with([](auto& d) { d.padding = -1; }) == "tokenizer padding_token_id: -1 is out of range, there are 260 tokens");
    BOOST_TEST(with([](auto& d) { d.merges = {"ab"}; }) == R"(tokenizer merges[0]: "ab" is not a pair with a blank between)");
    BOOST_TEST(with([](auto& d) { d.tokens.clear(), d.types.clear(), d.scores.clear(); }) == "tokenizer tokens: there are none");
}

BOOST_AUTO_TEST_CASE(unknown_names_are_refused_with_those_known) {
    auto data = byte_pairs("gpt-5", {"a b"});
    const std::string message = refusal(data, Exit::unsupported);
    BOOST_TEST(message.starts_with(R"(tokenizer rule (pre) "gpt-5" is not known; known are a.x-4.0, afmoe)"), message);
    data.pre.clear();
    BOOST_TEST(refusal(data, Exit::unsupported).starts_with("the tokenizer does not say by which rule it cuts words"));
    const Tokenizer allowed(data, {.default_rule = true});
    BOOST_TEST(allowed.encode("ab") == (Ids{256}));
    data.model = "rwkv";
    BOOST_TEST(refusal(data, Exit::unsupported) == R"(tokenizer model "rwkv" is not known; known are llama, gpt2, gemma4, bert)");
}

BOOST_AUTO_TEST_CASE(the_document_keeps_everything) {
    auto data = sentence_piece({"a", "\xFF\x80", "\"\n"});
    data.bos = 1, data.fim_separator = 2, data.add_eos = true, data.lowercase = false;
    data.name = "net", data.architecture = "llama", data.chat_template = "{{ bos_token }}";
    BOOST_TEST((parse_tokenizer(to_json(data)) == data));
    const auto pairs = byte_pairs("qwen2", {"a b"});
    BOOST_TEST((parse_tokenizer(to_json(pairs)) == pairs));
    BOOST_CHECK_THROW((void)parse_tokenizer(R"({"kind":"tokenizer","version":1,"model":"llama","tokens":[[256]]})"), Error);
    BOOST_CHECK_THROW((void)parse_tokenizer(R"({"kind":"tokenizer","version":1,"model":"llama","tokens":["a"],"eos_token_id":1})"), Error);
}

// A megabyte of one letter, of blanks, of digits: no rule and no method is quadratic.
BOOST_AUTO_TEST_CASE(time_is_linear_in_hostile_texts) {
    const size_t size = 1 << 20;
    std::string mixed;
    while (mixed.size() < size) mixed += "aB";
    const auto seconds = [](const auto& body) {
        const std::clock_t begin = std::clock();  // of the processor: the machine may be busy
        body();
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    const std::vector<std::string> hostile = {std::string(size, 'a'), std::string(size, 'A'), std::string(size, ' ') + "x",
                                              std::string(size, '7'), mixed};
    for (const char* rule : {"gpt-2", "llama-bpe", "deepseek-llm", "tekken", "gpt-4o", "superbpe", "exaone-moe", "jais-2", "falcon"})
        for (const std::string& text : hostile) BOOST_TEST(seconds([&] { (void)words(rule, text); }) < 2.0, rule << " " << text.front());
    const Tokenizer pieces(sentence_piece({"▁", "a", "aa", "aaaa"})), pairs(byte_pairs("gpt-2", {"a a", "aa aa"}));
    size_t of_pieces = 0, of_pairs = 0;
    BOOST_TEST(seconds([&] { of_pieces = pieces.encode(hostile[0], text_only).size(); }) < 2.0);
    BOOST_TEST(seconds([&] { of_pairs = pairs.encode(hostile[0]).size(); }) < 2.0);
    BOOST_TEST(of_pieces == size / 4 + 1);
    BOOST_TEST(of_pairs == size / 4);
}

BOOST_AUTO_TEST_SUITE_END()
