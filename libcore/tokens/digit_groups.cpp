#include "libcore/tokens/digit_groups.h"

#include "libcore/tokens/unicode.h"

namespace quern::tokens {

namespace {

// Calls run(from, to) for each run of characters that `takes`.
template <class Takes, class Run>
void each_run(std::u32string_view text, size_t begin, size_t end, const Takes& takes, const Run& run) {
    for (size_t at = begin; at < end;) {
        const size_t from = at;
        while (at < end && takes(text[at])) ++at;
        if (at > from)
            run(from, at);
        else
            ++at;
    }
}

void close(size_t begin, size_t end, std::vector<size_t>& ends) {
    const size_t last = ends.empty() ? begin : std::max(begin, ends.back());
    if (last < end) ends.push_back(end);
}

}  // namespace

void groups_of_numbers(std::u32string_view text, size_t begin, size_t end, std::vector<size_t>& ends) {
    const auto is_number = [](char32_t c) { return category(c) == number; };
    each_run(text, begin, end, is_number, [&](size_t from, size_t to) {
        size_t at = from + (to - from) % 3;
        if (at > from) ends.push_back(at);
        while (at < to) ends.push_back(at += 3);
    });
    close(begin, end, ends);
}

void groups_of_digits(std::u32string_view text, size_t begin, size_t end, std::vector<size_t>& ends) {
    const auto is_digit = [](char32_t c) { return c >= U'0' && c <= U'9'; };
    each_run(text, begin, end, is_digit, [&](size_t from, size_t to) {
        for (size_t at = from + (to - from) % 3; at < to; at += 3)
            if (at > begin) ends.push_back(at);
    });
    close(begin, end, ends);
}

}  // namespace quern::tokens
