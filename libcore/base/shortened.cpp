#include "libcore/base/shortened.h"

#include <fmt/core.h>

namespace quern {
namespace {

// The byte at which a character begins, at or before `at`.
size_t begin_of_character(std::string_view text, size_t at) {
    for (int back = 0; back < 3 && at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; ++back) --at;
    return at;
}

}  // namespace

std::string shortened(std::string_view text, size_t max) {
    if (text.size() <= max) return std::string(text);
    const std::string_view begin = text.substr(0, begin_of_character(text, max / 2));
    const std::string_view end = text.substr(begin_of_character(text, text.size() - max / 4));
    return fmt::format("{}...{} ({} bytes)", begin, end, text.size());
}

}  // namespace quern
