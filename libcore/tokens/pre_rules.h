// How a text becomes words before pairs are merged: rules by the names that files give them in tokenizer.ggml.pre.
//
// Words, and so ids, are those of llama.cpp, also where its rule is coarser than the model's own (all of \p{Lu} \p{Ll} \p{Lt} \p{Lm}
// \p{Lo} are \p{L} there; an apostrophe's word has no title case).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tokens/pattern.h"

namespace quern::tokens {

// Cuts text[begin, end) into words and appends the end of each: by a pattern, or by a function where no pattern says it.
struct WordCut {
    using Function = void (*)(std::u32string_view text, size_t begin, size_t end, std::vector<size_t>& ends);
    std::string pattern = {};
    Function function = nullptr;
};

struct PreRule {
    std::string_view names;       // separated by blanks
    std::vector<WordCut> cuts;    // each cuts what the one before left
    bool ignore_merges = false;   // a word that is a token stays one
    bool add_bos = false;         // where the file does not say
    bool default_bos = true;      // 11 and 11 are begin and end where the file does not say
    bool bytes = true;            // merges are of GPT-2's letters for bytes; else of characters, with U+2581 for blanks
    bool whole_newlines = false;  // a word of newlines that is a token stays one
};

std::span<const PreRule> pre_rules();
// nullptr: no such name. "default": what llama.cpp takes for files that name none.
const PreRule* pre_rule_named(std::string_view name);
std::vector<std::string> pre_rule_names();  // sorted

// A rule, ready for use by several threads.
class WordSplitter {
   public:
    explicit WordSplitter(const PreRule& rule);
    // The ends of the words of `text`, ascending; the last one is its size.
    std::vector<size_t> ends(std::u32string_view text) const;

   private:
    struct Step {
        std::unique_ptr<Pattern> pattern;
        WordCut::Function function = nullptr;
    };
    std::vector<Step> steps_;
};

}  // namespace quern::tokens
