// The targets that ship, as the build has put them into the library.
#pragma once

#include <span>
#include <string_view>

namespace quern::place {

struct EmbeddedTarget {
    std::string_view name, json;
};

std::span<const EmbeddedTarget> embedded_targets();  // sorted by name

}  // namespace quern::place
