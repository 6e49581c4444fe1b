#include "libcore/base/excerpt.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace quern {

LineColumn line_column(std::string_view text, size_t position) {
    const std::string_view before = text.substr(0, position);
    const size_t start = before.rfind('\n');
    return {1 + static_cast<size_t>(std::ranges::count(before, '\n')),
            start == std::string_view::npos ? before.size() + 1 : before.size() - start};
}

std::vector<std::string> excerpt(std::string_view text, size_t position) {
    constexpr size_t around = 60;
    position = std::min(position, text.size());
    const auto is_inside = [&](size_t at) { return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
    const size_t line = position == 0 ? 0 : text.rfind('\n', position - 1) + 1;  // npos + 1 is 0
    const size_t line_end = std::min(text.find_first_of("\r\n", position), text.size());
    size_t begin = position - line > around ? position - around : line, end = std::min(line_end, position + around);
    while (is_inside(begin)) ++begin;  // whole characters
    while (is_inside(end)) ++end;
    if (begin >= end) return {};
    const std::string before = (begin > line ? "..." : "") + printable(text.substr(begin, position - begin));
    const auto width = std::ranges::count_if(before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return {before + printable(text.substr(position, end - position)) + (end < line_end ? "..." : ""),
            std::string(static_cast<size_t>(width), ' ') + "^"};
}

}  // namespace quern
