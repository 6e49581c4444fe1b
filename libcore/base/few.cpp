#include "libcore/base/few.h"

#include <fmt/core.h>

#include "libcore/base/text.h"

namespace quern {
namespace {

// The byte at which a character begins, at or before `at`.
size_t begin_of_character(std::string_view text, size_t at) {
    for (int back = 0; back < 3 && at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; ++back) --at;
    return at;
}

}  // namespace

std::string shortened(std::string_view text, size_t most) {
    if (text.size() <= most) return std::string(text);
    const std::string_view begin = text.substr(0, begin_of_character(text, most / 2));
    const std::string_view end = text.substr(begin_of_character(text, text.size() - most / 4));
    return fmt::format("{}...{} ({} bytes)", begin, end, text.size());
}

std::string one_line(std::string_view text) {
    constexpr size_t longest = 4000;
    return printable(shortened(text, longest));
}

std::vector<std::string> few_of(std::vector<std::string> items) {
    if (items.size() <= few + 1) return items;
    const size_t more = items.size() - few;
    items.resize(few);
    items.push_back(fmt::format("and {} more", more));
    return items;
}

}  // namespace quern
