#include "formats/text/scan.h"

#include <algorithm>
#include <cctype>

#include "libcore/base/excerpt.h"
#include "libcore/base/text.h"

namespace quern::text {
namespace {

bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_alpha(c) || is_digit(c) || c == '$' || c == '.'; }

int hex_digit(char c) { return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10; }

}  // namespace

void Scanner::skip() {
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
            ++at_;
        else if (text_.substr(at_, 2) == "//")
            at_ = std::min(text_.find('\n', at_), text_.size());
        else
            return;
    }
}

size_t Scanner::position() {
    skip();
    return at_;
}

bool Scanner::at_end() { return position() == text_.size(); }

char Scanner::peek() { return at_end() ? '\0' : text_[at_]; }

std::string Scanner::place(size_t position) const {
    const LineColumn at = line_column(text_, position);
    return fmt::format("{}:{}", at.line, at.column);
}

Error Scanner::error(size_t position, const std::string& message) const {
    return bad_input("{}: {}", place(position), message).with_details(excerpt(text_, position));
}

Error Scanner::unexpected(std::string_view need) {
    if (at_end()) return error(at_, fmt::format("the text ends, need {}", need));
    size_t length = 1;
    while (at_ + length < text_.size() && length < 20 && is_word(text_[at_]) && is_word(text_[at_ + length])) ++length;
    return error(at_, fmt::format("got \"{}\", need {}", escape(text_.substr(at_, length)), need));
}

bool Scanner::accept(std::string_view symbol) {
    if (text_.substr(position(), symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
}

bool Scanner::next_is(std::string_view symbol) { return text_.substr(position(), symbol.size()) == symbol; }

char Scanner::symbol_character() {
    if (at_end() || !(is_word(text_[at_]) || text_[at_] == '-')) throw unexpected("a symbol");
    return text_[at_++];
}

void Scanner::expect(std::string_view symbol) {
    if (!accept(symbol)) throw unexpected(fmt::format("\"{}\"", symbol));
}

std::string_view Scanner::word() {
    const size_t begin = position();
    if (at_ == text_.size() || !is_alpha(text_[at_])) return {};
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
}

bool Scanner::next_is_word(std::string_view wanted) {
    const size_t begin = position();
    const bool same = word() == wanted;
    at_ = begin;
    return same;
}

bool Scanner::accept_word(std::string_view wanted) {
    const size_t begin = position();
    if (word() == wanted) return true;
    at_ = begin;
    return false;
}

std::string Scanner::string() {
    const size_t begin = position();
    expect("\"");
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
        if (text_[at_] != '\\') {
            const size_t end = std::min(text_.find_first_of("\"\\\n", at_), text_.size());
            const std::string_view run = text_.substr(at_, end - at_);
            if (!is_utf8(run)) throw error(begin, "the string is not valid UTF-8");
            out += run;
            at_ = end;
            continue;
        }
        const std::string_view escape = text_.substr(at_ + 1, 2);
        if (!escape.empty() && (escape[0] == '"' || escape[0] == '\\')) {
            out += escape[0];
            at_ += 2;
        } else if (!escape.empty() && (escape[0] == 'n' || escape[0] == 't')) {
            out += escape[0] == 'n' ? '\n' : '\t';
            at_ += 2;
        } else if (escape.size() == 2 && is_hex(escape[0]) && is_hex(escape[1])) {
            out += static_cast<char>(hex_digit(escape[0]) * 16 + hex_digit(escape[1]));
            at_ += 3;
        } else {
            throw error(at_, "unknown escape in a string, need \\\\ \\\" \\n \\t or two hex digits");
        }
    }
    if (at_ == text_.size() || text_[at_] != '"') throw error(begin, "the string is not closed on its line");
    ++at_;
    return out;
}

std::string Scanner::name() {
    // No space between the sigil and the name.
    if (at_ < text_.size() && text_[at_] == '"') return string();
    const size_t begin = at_;
    if (at_ < text_.size() && is_digit(text_[at_])) {
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    } else if (at_ < text_.size() && (is_alpha(text_[at_]) || text_[at_] == '$')) {
        while (at_ < text_.size() && (is_word(text_[at_]) || (text_[at_] == '-' && text_.substr(at_, 2) != "->"))) ++at_;
    }
    if (at_ == begin) throw unexpected("a name");
    if (at_ + 1 < text_.size() && text_[at_] == '#' && is_digit(text_[at_ + 1])) {  // %0#1: one of several results
        ++at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
}

std::string_view Scanner::number() {
    const size_t begin = position();
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    if (at_ == text_.size() || !is_digit(text_[at_])) {
        at_ = begin;
        throw unexpected("a number");
    }
    if (text_.substr(at_, 2) == "0x") {
        at_ += 2;
        while (at_ < text_.size() && is_hex(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    const auto digits = [&] {
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
        ++at_;
        if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
        digits();
    }
    return text_.substr(begin, at_ - begin);
}

std::string_view Scanner::digits() {
    const size_t begin = position();
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == begin) throw unexpected("a dimension");
    return text_.substr(begin, at_ - begin);
}

int64_t Scanner::integer() {
    const size_t begin = position();
    const auto value = parse_int(number());
    if (!value) throw error(begin, "need a 64-bit integer");
    return *value;
}

bool Scanner::next_is_hex() { return text_.substr(position(), 3) == "\"0x"; }

std::string_view Scanner::hex() {
    const size_t begin = position() + 3;
    size_t end = begin;
    while (end < text_.size() && is_hex(text_[end])) ++end;
    if (end == text_.size() || text_[end] != '"') throw error(end, "need hex digits and a closing quote");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
}

}  // namespace quern::text
