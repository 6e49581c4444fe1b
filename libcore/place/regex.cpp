#include "libcore/place/regex.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::place {
namespace {

constexpr size_t pattern_limit = 1024, name_limit = 4096, depth_limit = 32, look_limit = 4;
constexpr double state_limit = 4096;
constexpr std::string_view syntax = "^$\\.*+?()[]{}|";

bool is_syntax(char c) { return syntax.find(c) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The name that a pattern without operators stands for.
std::optional<std::string> plain_text(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            if (++i == text.size() || !(is_syntax(text[i]) || text[i] == '/')) return std::nullopt;
        } else if (is_syntax(text[i])) {
            return std::nullopt;
        }
        plain += text[i];
    }
    return plain;
}

// How many states a pattern stands for, and whether it holds what cannot be bounded. std::regex judges the grammar.
class Measure {
   public:
    explicit Measure(std::string_view text) : text_(text) {}

    bool looks() const { return looks_ > 0; }
    double states() {
        groups_.push_back({0, 0, false});
        while (at_ < text_.size()) item();
        double total = 1;
        for (const Group& group : groups_) total += group.sum;
        return total;
    }

   private:
    struct Group {
        double sum, last;  // states so far; of the last atom
        bool look;
    };

    void item() {
        const char c = text_[at_];
        if (c == '(') return open();
        if (c == ')') return close();
        if (c == '{') return repeat();
        if (c == '\\') return escaped();
        if (c == '[') return bracket();
        ++at_;
        if (c == '*' || c == '+' || c == '?') return grow(2);
        atom(c == '|' ? 2 : 1);
    }

    void atom(double size) {
        groups_.back().last = size;
        grow(size);
    }
    void grow(double by) {
        groups_.back().sum += by;
        if (groups_.back().sum > state_limit)
            throw bad_input("the expression stands for more than {} states when its repetitions are written out", state_limit);
    }

    void open() {
        const bool look = text_.substr(at_).starts_with("(?=") || text_.substr(at_).starts_with("(?!");
        if (groups_.size() > depth_limit) throw bad_input("groups nest deeper than {}", depth_limit);
        if (look) {
            if (std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.look; }))
                throw bad_input("a look-ahead inside a look-ahead is not matched");
            if (++looks_ > look_limit) throw bad_input("more than {} look-aheads", look_limit);
        }
        at_ += look || text_.substr(at_).starts_with("(?:") ? 3 : 1;
        groups_.push_back({2, 0, look});
    }
    void close() {
        ++at_;
        if (groups_.size() == 1) return;  // std::regex says what is wrong
        const double size = groups_.back().sum;
        groups_.pop_back();
        atom(size);
    }

    // {n}, {n,}, {n,m}: the last atom written out.
    void repeat() {
        const size_t end = std::min(text_.find('}', at_), text_.size());
        double max = 0;
        for (const std::string& number : split(text_.substr(at_ + 1, end - std::min(end, at_ + 1)), ',')) {
            const auto count = parse_int(number);
            max = std::max(max, count ? std::min(1e9, std::fabs(static_cast<double>(*count))) : number.empty() ? 0 : 1e9);
        }
        at_ = std::min(end + 1, text_.size());
        const double size = groups_.back().last * (max + 1);
        groups_.back().last += size;
        grow(size);
    }

    void escaped() {
        if (at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) && text_[at_ + 1] != '0')
            throw bad_input("\\{} is a back reference, which is not matched", text_[at_ + 1]);
        at_ = std::min(at_ + 2, text_.size());
        atom(1);
    }
    void bracket() {
        ++at_;
        while (at_ < text_.size() && text_[at_] != ']') at_ += text_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_ + 1, text_.size());
        atom(1);
    }

    std::string_view text_;
    size_t at_ = 0, looks_ = 0;
    std::vector<Group> groups_;
};

std::string_view reason(std::regex_constants::error_type code) {
    using namespace std::regex_constants;
    if (code == error_collate) return "an unknown collating element";
    if (code == error_ctype) return "an unknown character class";
    if (code == error_escape) return "a wrong escape";
    if (code == error_backref) return "a back reference to no group";
    if (code == error_brack) return "a [ that is not closed";
    if (code == error_paren) return "a parenthesis or a repetition that stands alone";
    if (code == error_brace || code == error_badbrace) return "a wrong {count}";
    if (code == error_range) return "a range that runs backwards";
    if (code == error_badrepeat) return "a repetition of nothing";
    return "an expression that is too complex";
}

}  // namespace

Pattern::Pattern(std::string_view text) : text_(text) {
    if (text.size() > pattern_limit) throw bad_input("the expression is {} bytes long, at most {} are matched", text.size(), pattern_limit);
    if (auto plain = plain_text(text)) {
        plain_ = std::move(*plain);
        return;
    }
    if (text.find('\0') != std::string_view::npos) throw bad_input("the expression holds a zero byte");
    Measure measure(text);
    states_ = measure.states();
    looks_ = measure.looks();
    try {
        using namespace std::regex_constants;
        regex_ = std::make_shared<std::regex>(text_, ECMAScript | nosubs | __polynomial);
    } catch (const std::regex_error& error) {
        throw bad_input("the expression \"{}\" has {}", escape(text), reason(error.code()));
    }
}

double Pattern::cost(size_t length) const {
    const double characters = static_cast<double>(length) + 1;
    return literal() ? 1 : states_ * characters * (looks_ ? characters : 1);
}

bool Pattern::matches(std::string_view name) const {
    if (literal()) return name == plain_;
    if (name.size() > name_limit) throw bad_input("name \"{}...\" is too long to be matched", escape(name.substr(0, 32)));
    return std::regex_match(name.begin(), name.end(), *regex_);
}

std::string escape_pattern(std::string_view name, bool points) {
    std::string out;
    for (const char c : name) {
        if (is_syntax(c) && !(points && c == '.')) out += '\\';
        out += c;
    }
    return out;
}

}  // namespace quern::place
