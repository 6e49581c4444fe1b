// Pattern: an untrusted ECMAScript regular expression that is matched against whole names in bounded time and memory.
//
// The grammar is std::regex's. A pattern may be 1,024 bytes long, hold groups 32 deep, and stand for at most 4,096 states when its counted
// repetitions are written out; names may be 4,096 bytes long. It runs on the executor of libstdc++ that takes time in proportion to states
// times characters. Back references, which no such executor has, are refused by name, and look-aheads inside each other.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>

namespace quern::place {

class Pattern {
   public:
    explicit Pattern(std::string_view text);  // throws Exit::bad_input saying what is wrong with the expression

    bool matches(std::string_view name) const;  // the whole name, case-sensitive
    bool literal() const { return !regex_; }    // stands for one name only
    // An upper bound of the steps that matches() takes on a name of this length.
    double cost(size_t length) const;
    const std::string& text() const { return text_; }

   private:
    std::string text_, plain_;  // plain_: the one name of a literal
    double states_ = 0;
    bool looks_ = false;  // has look-aheads, which start anew at every character
    std::shared_ptr<const std::regex> regex_;
};

// The pattern that matches `name` and nothing else. Points stay as they are with `points`, as in operators' names.
std::string escape_pattern(std::string_view name, bool points = false);

}  // namespace quern::place
