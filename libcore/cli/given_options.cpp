#include "libcore/cli/given_options.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace quern {

bool GivenOptions::has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

void GivenOptions::refuse(std::span<const std::string_view> names, std::string_view why) const {
    for (const std::string_view name : names)
        if (has(name)) throw usage_error("{} {}", name, why);
}

void GivenOptions::refuse_others(std::span<const std::string_view> names, std::string_view why) const {
    for (const std::string& name : names_)
        if (std::ranges::find(names, name) == names.end()) throw usage_error("{} {}", name, why);
}

}  // namespace quern
