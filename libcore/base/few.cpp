#include "libcore/base/few.h"

#include <fmt/core.h>

#include "libcore/base/shortened.h"
#include "libcore/base/text.h"

namespace quern {

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
