#include "libcore/tokens/pattern_steps.h"

#include <algorithm>

namespace quern::tokens {

bool CharClass::Part::has(char32_t c) const {
    if (categories != 0 && (category(c) & categories) != 0) return true;
    if (han && is_han(c)) return true;
    return std::ranges::any_of(ranges, [c](const auto& range) { return c >= range.first && c <= range.second; });
}

CharClass::CharClass(Part in, Part out, bool negated) : in_(std::move(in)), out_(std::move(out)), negated_(negated) {
    for (char32_t c = 0; c < ascii_.size(); ++c) ascii_[c] = find(c);
}

}  // namespace quern::tokens
