// What a pattern (pattern.h) is made of: sets of characters, and steps that ask for them.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <utility>
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
    uint32_t min = 1, max = 1;       // repeat
    uint32_t first = 0, second = 0;  // either: to be tried in this order; go_to: first
};

}  // namespace quern::tokens
