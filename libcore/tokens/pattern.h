// Patterns that cut text into words: the part of regular expressions that rules of tokenizers use, matched as Perl does (the first
// alternative that matches, repetition as often as possible).
//
//   a|b  (?:...)  ? * + {n} {n,m}  [...] [^...]  \p{L} \p{M} \p{N} \p{P} \p{S} \p{Han}  \s \S  (?!CLASS)  $
//   [A--B]  what is in A and not in B
//
// Time is linear in the text for repetitions of one class, since a repetition remembers where its run ends and from where on it failed;
// the stack lies on the heap. Patterns are ours: a slip in one is a bug.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/tokens/pattern_steps.h"

namespace quern::tokens {

class Pattern {
   public:
    explicit Pattern(std::string_view text);  // UTF-8

    // The words of text[begin, end): matches and what lies between them. Appends the end of each to `ends`.
    // Not for several threads at once with one `Memory`.
    struct Memory {
        struct Choice {
            uint32_t step;
            bool of_repeat;
            size_t at;
            size_t low = 0, begin = 0;  // of a repeat: how far it may give back, where it began
        };
        struct Span {
            size_t from = 0, to = 0;
        };
        std::vector<Choice> choices;
        std::vector<Span> runs, failed;  // of each step
    };
    Memory memory() const;
    void cut(std::u32string_view text, size_t begin, size_t end, Memory& memory, std::vector<size_t>& ends) const;

   private:
    std::vector<CharClass> classes_;
    std::vector<PatternStep> steps_;
};

}  // namespace quern::tokens
