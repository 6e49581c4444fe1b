// SPDX-FileCopyrightText: 2023-2026 The ggml authors
// SPDX-FileCopyrightText: 2026 the quern authors
// SPDX-License-Identifier: Apache-2.0 AND MIT
//
// The patterns by which tokenizers cut words, and who uses which, as llama.cpp lists them (its notice is LICENSES/MIT.txt).
#include "libcore/tokens/pre_rules.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/tokens/digit_groups.h"

namespace quern::tokens {

namespace {

using std::string;

// Letters with case, as deepseek-llm's tokenizer lists them.
const char* const cased_letters =
    "[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-"
    "ᴫᵫ-"
    "ᵷᵹ-"
    "ᶚḀ-"
    "ἕἘ-"
    "Ἕἠ-"
    "ὅὈ-"
    "Ὅὐ-"
    "ὗὙὛὝὟ-"
    "ώ"
    "ᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-"
    "ꚛꜢ-"
    "ꝯꝱ-"
    "ꞇꞋ-"
    "ꞎꭰ-"
    "ꮿﬀ-"
    "ﬆﬓ-"
    "ﬗＡ-"
    "Ｚａ-"
    "ｚ𐐀-"
    "𐑏"
    "𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]";
// The punctuation of the same tokenizer.
const char* const half_and_full_width_marks = "[!-/:-~！-／：-～‘-‟　-。]";
// Scripts that are written without blanks, as afmoe's tokenizer lists them.
const char* const scripts_without_blanks =
    "[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]";
const char* const japanese_and_chinese = "[一-龥぀-ゟ゠-ヿ]+";
const char* const chinese_and_korean = "[一-龥ࠀ-一가-퟿]+";

// English contractions, in small letters and in any.
const string small_contractions = "'s|'t|'re|'ve|'m|'ll|'d";
const string contractions = "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]";

// Runs of blanks: all but the last one where a word follows.
const string blanks = R"(|\s+(?!\S)|\s+)";
const string lines_and_blanks = R"(|\s*[\r\n]+)" + blanks;

const string gpt2 = small_contractions + R"(| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+)" + blanks;
const string by_letters = R"([^\r\n\p{L}\p{N}]?\p{L}+|)";
const string by_marks = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*)";
const string by_marks_and_slashes = R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*)";
const char* const newlines = R"([^\n]+|[\n]+)";
const char* const each_number = R"(\p{N})";
const char* const numbers = R"(\p{N}+)";
const char* const threes = R"(\p{N}{1,3})";
const char* const three_digits = "[0-9][0-9][0-9]";

// The family of llama 3: numbers are what differs.
string llama3(const string& of_numbers) { return contractions + "|" + by_letters + of_numbers + by_marks + lines_and_blanks; }

// Words that begin anew at a capital letter, each with its contraction.
string capitals(const string& letters, const string& suffix) {
    const string upper = "[" + letters + "--a-z]", small = "[" + letters + "--A-Z]";
    return R"([^\r\n\p{L}\p{N}]?)" + upper + "*" + small + "+" + suffix + R"(|[^\r\n\p{L}\p{N}]?)" + upper + "+" + small + "*" + suffix +
           "|";
}

// deepseek-v3's last cut; some take one newline only, or leave the newlines behind punctuation alone.
string deepseek3(const string& behind) {
    return R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+)" + behind + blanks;
}

std::vector<PreRule> make_rules() {
    const string optional_contraction = "(?:" + contractions + ")?";
    const string words_of_letters_and_marks = R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]*[\p{L}\p{M}]+)" + optional_contraction;
    const string deepseek3_lines = R"([\r\n]*|\s*[\r\n]+)";
    const string until_punctuation = " ?[^(\\s|.,!?…。，、।۔،)]+";
    return {
        {.names = "default", .cuts = {{R"([\p{P}$+<=>^~|]+)"}, {gpt2}, {numbers}, {three_digits}}},
        {.names =
             "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jina-v1-en jina-v2-code roberta-bpe "
             "exaone4 mpt olmo jais trillion granite-docling",
         .cuts = {{gpt2}}},
        {.names = "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
         .cuts = {{llama3(threes)}},
         .ignore_merges = true,
         .add_bos = true},
        {.names = "dbrx smaug-bpe", .cuts = {{llama3(threes)}}},
        {.names = "chatglm-bpe", .cuts = {{llama3(threes)}}, .default_bos = false},
        {.names = "glm4 glm5", .cuts = {{llama3(threes)}}, .ignore_merges = true, .default_bos = false},
        {.names = "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2", .cuts = {{llama3(each_number)}}},
        {.names = "minicpm5", .cuts = {{threes}, {llama3(numbers)}}, .ignore_merges = true},
        {.names = "laguna", .cuts = {{newlines}, {llama3(each_number)}}},
        {.names = "ufakzeka", .cuts = {{by_letters + each_number + by_marks + lines_and_blanks}}},
        {.names = "qwen35",
         .cuts = {{contractions + R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)" + lines_and_blanks}}},
        {.names = "bailingmoe bailingmoe2 llada-moe",
         .cuts = {{R"('(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|)" + by_letters + each_number + by_marks + R"(|\s*[\r\n])" + blanks}}},
        {.names = "seed-coder",
         .cuts = {{contractions + "|" + by_letters + each_number + R"(| ?[^\s\p{L}\p{N}\r\n]+)" + lines_and_blanks}}},
        {.names = "exaone-moe",
         .cuts = {{contractions + R"(|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n])" +
                   blanks}}},
        {.names = "jais-2",
         .cuts = {{contractions + "|" + by_letters + threes + by_marks +
                   R"(|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S))"
                   R"(|\s{1,2}(?!\S)|\s)"}}},
        {.names = "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2", .cuts = {{each_number}, {gpt2}}},
        {.names = "falcon", .cuts = {{R"([\p{P}$+<=>^~|`]+)"}, {gpt2}, {three_digits}}},
        {.names = "deepseek-llm",
         .cuts = {{R"([\r\n])"},
                  {R"(\s?)" + string(cased_letters) + "+"},
                  {R"(\s?)" + string(half_and_full_width_marks) + "+"},
                  {R"(\s+$)"},
                  {chinese_and_korean},
                  {numbers}}},
        {.names = "deepseek-coder", .cuts = {{R"([\r\n])"}, {R"(\s?\p{L}+)"}, {R"(\s?\p{P}+)"}, {chinese_and_korean}, {each_number}}},
        {.names = "deepseek-v3 hunyuan-dense joyai-llm hy_v4", .cuts = {{threes}, {japanese_and_chinese}, {deepseek3(deepseek3_lines)}}},
        {.names = "spark2_5", .cuts = {{threes}, {japanese_and_chinese}, {deepseek3(R"(|[\r\n])")}, {each_number}}},
        {.names = "youtu",
         .cuts = {{"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|" + string(japanese_and_chinese)},
                  {words_of_letters_and_marks + "|" + each_number + by_marks_and_slashes + lines_and_blanks}},
         .ignore_merges = true},
        {.names = "tiny_aya cohere2moe",
         .cuts = {{.function = groups_of_numbers}, {words_of_letters_and_marks + "|" + threes + by_marks_and_slashes + lines_and_blanks}}},
        {.names = "afmoe", .cuts = {{.function = groups_of_numbers}, {string(scripts_without_blanks) + "+"}, {deepseek3(deepseek3_lines)}}},
        {.names = "superbpe", .cuts = {{numbers}, {.function = groups_of_digits}}},
        {.names = "bloom poro-chat gpt3-finnish", .cuts = {{until_punctuation}}},
        {.names = "viking", .cuts = {{until_punctuation}, {each_number}}},
        {.names = "tekken",
         .cuts = {{capitals(R"(\p{L})", "") + each_number + by_marks_and_slashes + lines_and_blanks}},
         .ignore_merges = true,
         .add_bos = true},
        {.names = "gpt-4o llama4 kanana2 talkie minimax-m2",
         .cuts = {{capitals(R"(\p{L})", optional_contraction) + threes + by_marks_and_slashes + lines_and_blanks}}},
        {.names = "granite-embed-multi-97m",
         .cuts = {{capitals(R"(\p{L}\p{M})", optional_contraction) + threes + by_marks_and_slashes + lines_and_blanks}},
         .ignore_merges = true},
        {.names = "kimi-k2",
         .cuts = {{R"(\p{Han}+|[^\r\n\p{L}\p{N}]?[\p{L}--\p{Han}]+)" + optional_contraction + "|" + threes + by_marks + lines_and_blanks}}},
        {.names = "chameleon",
         .cuts = {{"<sentinel:[0-9]+>"}, {"IMGIMG[A-I]{1,4}Z"}, {R"([\t\n]|    |  )"}, {each_number}, {R"([\p{P}!-/:-@\[-`{-~])"}, {gpt2}},
         .add_bos = true},
        {.names = "gemma4 granite-embed-multi-311m", .cuts = {{newlines}}, .add_bos = true, .bytes = false, .whole_newlines = true},
        {.names = "sarvam-moe", .cuts = {{newlines}}, .bytes = false},
    };
}

}  // namespace

std::span<const PreRule> pre_rules() {
    static const std::vector<PreRule> all = make_rules();
    return all;
}

const PreRule* pre_rule_named(std::string_view name) {
    for (const PreRule& rule : pre_rules())
        for (const string& known : split(rule.names, ' '))
            if (known == name) return &rule;
    return nullptr;
}

std::vector<string> pre_rule_names() {
    std::vector<string> names;
    for (const PreRule& rule : pre_rules())
        for (string& name : split(rule.names, ' ')) names.push_back(std::move(name));
    std::ranges::sort(names);
    return names;
}

WordSplitter::WordSplitter(const PreRule& rule) {
    for (const WordCut& cut : rule.cuts) steps_.push_back({cut.function ? nullptr : std::make_unique<Pattern>(cut.pattern), cut.function});
}

std::vector<size_t> WordSplitter::ends(std::u32string_view text) const {
    // As in llama.cpp: what is white beyond ASCII is a vertical tab to every rule.
    std::u32string seen(text);
    for (char32_t& c : seen)
        if (c >= 0x80 && is_space(c)) c = U'\v';
    std::vector<size_t> ends, finer;
    if (!text.empty()) ends.push_back(text.size());
    for (const Step& step : steps_) {
        finer.clear();
        Pattern::Memory memory = step.pattern ? step.pattern->memory() : Pattern::Memory();
        size_t begin = 0;
        for (const size_t end : ends) {
            if (step.pattern)
                step.pattern->cut(seen, begin, end, memory, finer);
            else
                step.function(seen, begin, end, finer);
            begin = end;
        }
        ends.swap(finer);
    }
    return ends;
}

}  // namespace quern::tokens
