// Patterns that cut text into words: the part of regular expressions that rules of tokenizers use, matched as Perl does (the first
// alternative that matches, repetition as often as possible).
//
//   a|b  (?:...)  ? * + {n} {n,m}  [...] [^...]  \p{L} \p{M} \p{N} \p{P} \p{S} \p{Han}  \s \S  (?!CLASS)  $
//   [A--B]  what is in A and not in B
//
// Time is linear in the text for repetitions of one class, since a repetition remembers where its run ends and from where on it failed;
// the stack lies on the heap. Patterns are ours: a slip in one is a bug.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "libcore/tokens/unicode.h"

namespace quern::tokens {

// A set of characters.
class CharClass {
   public:
    struct Part {
        uint8_t categories = 0;  // a sum of Category
        bool han = false;
        std::vector<std::pair<char32_t, char32_t>> ranges;  // both ends included
        bool has(char32_t c) const;
    };
    CharClass(Part in, Part out, bool negated);
    bool has(char32_t c) const { return c < ascii_.size() ? ascii_[c] : find(c); }

   private:
    bool find(char32_t c) const { return (in_.has(c) && !out_.has(c)) != negated_; }
    Part in_, out_;
    bool negated_;
    std::bitset<128> ascii_;
};

struct PatternStep {
    enum Kind : uint8_t { repeat, not_ahead, at_end, either, go_to, done };
    static constexpr uint32_t unlimited = std::numeric_limits<uint32_t>::max();
    Kind kind;
    uint32_t charset = 0;            // repeat, not_ahead: its place among the classes
    uint32_t least = 1, most = 1;    // repeat
    uint32_t first = 0, second = 0;  // either: to be tried in this order; go_to: first
};

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
