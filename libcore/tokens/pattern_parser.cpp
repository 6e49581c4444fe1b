#include "libcore/tokens/pattern_parser.h"

#include "libcore/base/error.h"

namespace quern::tokens {

namespace {

class Parser {
   public:
    Parser(std::string_view text, std::vector<CharClass>& classes, std::vector<PatternStep>& steps)
        : source_(text), text_(code_points(text)), classes_(classes), steps_(steps) {}

    void run() {
        alternatives();
        if (at_ != text_.size()) fail("has a bracket too many");
        steps_.push_back({.kind = PatternStep::done});
    }

   private:
    [[noreturn]] void fail(std::string_view what) const { throw bug("pattern {}: {} at character {}", source_, what, at_); }
    bool more() const { return at_ < text_.size(); }
    bool sees(char32_t c) const { return more() && text_[at_] == c; }
    bool take(char32_t c) { return sees(c) && ++at_; }
    bool take(std::u32string_view word) {
        if (!std::u32string_view(text_).substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    char32_t next() {
        if (!more()) fail("ends too early");
        return text_[at_++];
    }
    uint32_t here() const { return static_cast<uint32_t>(steps_.size()); }

    // Alternatives A|B|C: either(A, either(B, C)), each of the first ones followed by a jump to the end.
    void alternatives() {
        std::vector<uint32_t> jumps;
        for (;;) {
            const uint32_t choice = here();
            steps_.push_back({.kind = PatternStep::either, .first = choice + 1});
            sequence();
            if (!take(U'|')) {
                steps_[choice].kind = PatternStep::go_to;  // the last one: no choice
                break;
            }
            jumps.push_back(here());
            steps_.push_back({.kind = PatternStep::go_to});
            steps_[choice].second = here();
        }
        for (const uint32_t jump : jumps) steps_[jump].first = here();
    }

    void sequence() {
        while (more() && !sees(U'|') && !sees(U')')) {
            if (take(U"(?:"))
                group();
            else if (take(U"(?!"))
                steps_.push_back({.kind = PatternStep::not_ahead, .charset = one_class()}), close();
            else if (take(U'$'))
                steps_.push_back({.kind = PatternStep::at_end});
            else
                repetition(one_class());
        }
    }

    void close() {
        if (!take(U')')) fail("lacks a bracket");
    }

    // (?:...) once, or with ? * +.
    void group() {
        const uint32_t choice = here();
        steps_.push_back({.kind = PatternStep::go_to, .first = choice + 1});
        alternatives();
        close();
        if (take(U'+')) {
            steps_.push_back({.kind = PatternStep::either, .first = choice, .second = here() + 1});
        } else if (sees(U'*') || sees(U'?')) {
            if (next() == U'*') steps_.push_back({.kind = PatternStep::go_to, .first = choice});
            steps_[choice] = {.kind = PatternStep::either, .first = choice + 1, .second = here()};
        }
    }

    void repetition(uint32_t charset) {
        PatternStep step{.kind = PatternStep::repeat, .charset = charset};
        if (take(U'?')) {
            step.min = 0;
        } else if (take(U'*')) {
            step.min = 0, step.max = PatternStep::unlimited;
        } else if (take(U'+')) {
            step.max = PatternStep::unlimited;
        } else if (take(U'{')) {
            step.min = step.max = count();
            if (take(U',')) step.max = count();
            if (!take(U'}')) fail("lacks a brace");
        }
        steps_.push_back(step);
    }

    uint32_t count() {
        uint32_t sum = 0;
        while (more() && text_[at_] >= U'0' && text_[at_] <= U'9') sum = sum * 10 + (text_[at_++] - U'0');
        return sum;
    }

    uint32_t one_class() {
        CharClass::Part in, out;
        bool negated = false;
        if (take(U'[')) {
            negated = take(U'^');
            CharClass::Part* part = &in;
            while (!take(U']')) {
                if (take(U"--")) part = &out;
                element(*part);
            }
        } else if (take(U"\\S")) {
            white(in);
            negated = true;
        } else {
            element(in, false);
        }
        classes_.emplace_back(std::move(in), std::move(out), negated);
        return static_cast<uint32_t>(classes_.size() - 1);
    }

    // A range, a character or a named class.
    void element(CharClass::Part& part, bool ranges = true) {
        if (take(U"\\p{")) return named(part);
        if (take(U"\\s")) return white(part);
        const char32_t first = character();
        char32_t last = first;
        if (ranges && sees(U'-') && at_ + 1 < text_.size() && text_[at_ + 1] != U'-' && text_[at_ + 1] != U']') {
            ++at_;
            last = character();
        }
        part.ranges.emplace_back(first, last);
    }

    char32_t character() {
        const char32_t c = next();
        if (c != U'\\') return c;
        const char32_t escaped = next();
        return escaped == U'r' ? U'\r' : escaped == U'n' ? U'\n' : escaped == U't' ? U'\t' : escaped;
    }

    // Of the text only: what is white beyond ASCII was replaced (pre_rules.cpp).
    static void white(CharClass::Part& part) {
        part.ranges.emplace_back(U'\t', U'\r');
        part.ranges.emplace_back(U' ', U' ');
    }

    void named(CharClass::Part& part) {
        if (take(U"L}"))
            part.categories |= letter;
        else if (take(U"M}"))
            part.categories |= mark;
        else if (take(U"N}"))
            part.categories |= number;
        else if (take(U"P}"))
            part.categories |= punctuation;
        else if (take(U"S}"))
            part.categories |= symbol;
        else if (take(U"Han}"))
            part.han = true;
        else
            fail("names an unknown class");
    }

    std::string_view source_;
    std::u32string text_;
    std::vector<CharClass>& classes_;
    std::vector<PatternStep>& steps_;
    size_t at_ = 0;
};

}  // namespace

void parse_pattern(std::string_view text, std::vector<CharClass>& classes, std::vector<PatternStep>& steps) {
    Parser(text, classes, steps).run();
}

}  // namespace quern::tokens
