// Texts with holes, filled from JSON (page.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcore/base/json_fwd.h"

namespace quern {

// What a text is about: an item, with its number in its table, in a document.
struct Scope {
    const Json& document;
    const Json& item;
    size_t place = 0;
};

const Json* find_member(const Scope& scope, std::string_view path);            // nullptr: it is not there
double number_at(const Scope& scope, std::string_view path);                   // not a number: there is none
bool has_something(const Json& value);                                         // not null, "", false, an empty list, or not a number
std::optional<std::string> filled(std::string_view text, const Scope& scope);  // nothing: a hole outside of brackets has nothing
inline std::string filled_or_empty(std::string_view text, const Scope& scope) { return filled(text, scope).value_or(""); }

}  // namespace quern
