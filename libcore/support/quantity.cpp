#include "libcore/support/quantity.h"

#include <cmath>

#include "libcore/base/text.h"

namespace quern::support {

std::string to_string(const Fact& fact) {
    if (const double* number = std::get_if<double>(&fact)) {
        const bool whole = std::floor(*number) == *number && std::fabs(*number) < 1e15;
        return whole ? fmt::format("{}", static_cast<int64_t>(*number)) : shortest(*number);
    }
    if (const std::string* word = std::get_if<std::string>(&fact)) return escape(*word);
    return "?";
}

}  // namespace quern::support
