// The models of tokenizer.json. Both kinds are its "BPE", whose merges have ranks.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/tokens/byte_letters.h"
#include "libcore/tokens/hugging_face.h"
#include "libcore/tokens/methods.h"

namespace quern::tokens {
namespace {

Json replaced(std::string_view from, std::string_view to) {
    return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}
Json sequence_of(std::string_view key, Json parts) { return {{"type", "Sequence"}, {key, std::move(parts)}}; }

// ---- SentencePiece: a pair that is a token is merged, the best score first ----------------------------------------------------------

// A token of two, and where it is cut. Ranks have no equals. The leftmost pair of equals goes first: of one token that is the cut that
// leaves more to the left; of runs of one character, which many vocabularies give one score, the longest run.
struct Cut {
    int32_t id;
    size_t at;
};

void check_characters(const Vocabulary& vocabulary, const std::string& text) {
    for (size_t at = 0; at < text.size();) {
        const std::string one = text.substr(at, announced_bytes(text[at]));
        if (!vocabulary.find(one)) throw unsupported("token \"{}\" contains \"{}\", which is not a token", escape(text), escape(one));
        at += one.size();
    }
}

std::vector<Cut> cuts_of(const Vocabulary& vocabulary) {
    std::vector<Cut> cuts;
    for (int32_t id = 0; id < vocabulary.size(); ++id) {
        const std::string& text = vocabulary.text(id);
        if (vocabulary.is(id, is_byte | is_control | is_unknown | is_user_defined)) continue;  // found in the text before
        const size_t first = announced_bytes(text[0]);
        if (first < text.size()) check_characters(vocabulary, text);
        for (size_t at = first; at < text.size(); at += announced_bytes(text[at]))
            if (vocabulary.find(std::string_view(text).substr(0, at)) && vocabulary.find(std::string_view(text).substr(at)))
                cuts.push_back({id, at});
    }
    return cuts;
}

bool is_run_of(const std::string& text, std::string_view one) {
    for (size_t at = 0; at < text.size(); at += one.size())
        if (std::string_view(text).substr(at, one.size()) != one) return false;
    return true;
}

void check_equals(const std::string& a, const std::string& b) {
    const std::string_view one = std::string_view(a).substr(0, announced_bytes(a[0]));
    if (!is_run_of(a, one) || !is_run_of(b, one)) throw unsupported("tokens \"{}\" and \"{}\" have the same score", escape(a), escape(b));
}

Json merges_by_score(const Vocabulary& vocabulary) {
    std::vector<Cut> cuts = cuts_of(vocabulary);
    const auto place = [&](const Cut& cut) {
        const auto length = static_cast<int64_t>(vocabulary.text(cut.id).size());
        return std::tuple(-vocabulary.score(cut.id), -length, cut.id, -static_cast<int64_t>(cut.at));
    };
    std::ranges::sort(cuts, {}, place);
    Json merges = Json::array();
    for (size_t i = 0; i < cuts.size(); ++i) {
        const auto& [id, at] = cuts[i];
        const std::string& text = vocabulary.text(id);
        if (i > 0 && cuts[i - 1].id != id && vocabulary.score(cuts[i - 1].id) == vocabulary.score(id))
            check_equals(vocabulary.text(cuts[i - 1].id), text);
        merges.push_back(Json::array({text.substr(0, at), text.substr(at)}));
    }
    return merges;
}

// ---- byte-level BPE: words are cut by patterns, pairs merged by rank ----------------------------------------------------------------

// White beyond ASCII, which our rules take for a vertical tab: ranges of other characters do not contain it.
constexpr std::string_view wide_blanks = "&&[^\\u0085\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000]";

// A class of characters in the spelling of that library's patterns, where "[A--B]" is "[A&&[^B]]".
std::string class_of(std::string text) {
    if (const size_t at = text.find("--"); at != std::string::npos) {
        text.replace(at, 2, "&&[^");
        return text + "]";
    }
    const bool wide = std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    return wide && text[1] != '^' ? text.insert(text.size() - 1, wide_blanks) : text;
}

// "$" ends a line there.
std::string pattern_of(const std::string& text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (text[at] == '\\') ++end;
        if (text[at] == '[')
            for (; text[end - 1] != ']'; ++end) end += text[end] == '\\';
        const std::string part = text.substr(at, end - at);
        out += part == "$" ? "\\z" : part[0] == '[' ? class_of(part) : part;
        at = end;
    }
    return out;
}

Json cuts_of_words(const PreRule& rule) {
    Json steps = Json::array();
    for (const WordCut& cut : rule.cuts) {
        if (cut.function) throw unsupported("its words are cut by groups of digits from the right, which no pattern says");
        steps.push_back(
            {{"type", "Split"}, {"pattern", {{"Regex", pattern_of(cut.pattern)}}}, {"behavior", "Isolated"}, {"invert", false}});
    }
    steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}});
    return sequence_of("pretokenizers", std::move(steps));
}

Json merges_by_rank(const Vocabulary& vocabulary) {
    const auto need = [&](const std::string& text) {
        if (!vocabulary.find(text)) throw unsupported("\"{}\" of the merges is not a token", escape(text));
    };
    std::set<std::pair<std::string, std::string>> seen;
    Json merges = Json::array();
    for (const std::string& merge : vocabulary.data().merges) {
        const size_t blank = merge.find(' ', 1);
        const std::string left = merge.substr(0, blank), right = merge.substr(blank + 1);
        for (const std::string& text : {left, right, left + right}) need(text);
        if (seen.emplace(left, right).second) merges.push_back(Json::array({left, right}));
    }
    return merges;
}

}  // namespace

HuggingFaceParts sentence_piece_parts(const Vocabulary& vocabulary) {
    for (int byte = 0; byte < 256; ++byte)
        if (!vocabulary.find_byte(static_cast<uint8_t>(byte))) throw unsupported("a byte has no token: <0x{:02X}>", byte);
    const std::string mark = with_marked_blanks(" ");
    Json before = Json::array(), after = Json::array();
    after.push_back(replaced(mark, " "));
    for (const char* step : {"ByteFallback", "Fuse"}) after.push_back({{"type", step}});
    if (vocabulary.space_prefix) {
        before.push_back({{"type", "Prepend"}, {"prepend", mark}});
        after.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    }
    before.push_back(replaced(" ", mark));
    Json model = byte_pair_model(vocabulary, merges_by_score(vocabulary));
    model["byte_fallback"] = true;
    if (vocabulary.unknown) {
        model["unk_token"] = vocabulary.text(*vocabulary.unknown);
        model["fuse_unk"] = true;
    }
    return {sequence_of("normalizers", std::move(before)), nullptr, std::move(model), sequence_of("decoders", std::move(after))};
}

HuggingFaceParts byte_pair_parts(const Vocabulary& vocabulary) {
    const PreRule& rule = *vocabulary.rule();
    if (!rule.bytes) throw unsupported("its merges are of characters, and other tokens where there are none");
    for (int byte = 0; byte < 256; ++byte)
        if (const std::string& letter = letter_of_byte(static_cast<uint8_t>(byte)); !vocabulary.find(letter))
            throw unsupported("byte 0x{:02X} (\"{}\") is not a token", byte, letter);
    Json model = byte_pair_model(vocabulary, merges_by_rank(vocabulary));
    model["ignore_merges"] = rule.ignore_merges;
    return {nullptr,
            cuts_of_words(rule),
            std::move(model),
            {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}}};
}

}  // namespace quern::tokens
