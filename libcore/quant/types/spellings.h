// Names that types have elsewhere: --type and rules take them, too.
#pragma once

#include <span>
#include <string_view>

namespace quern {

struct Spelling {
    std::string_view name, type;
};
std::span<const Spelling> all_spellings();

std::string_view type_of_spelling(std::string_view name);  // any other name stays as it is
void say_spelling(std::string_view name);                  // a notice of what it stands for, if it is one

}  // namespace quern
