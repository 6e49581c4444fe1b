// Constraint: one entry of a target's data that is at once the predicate, the text of a refusal and a line of the support page.
//
//     {"check": "kernel_height", "max": 256}
//     {"check": "kernel_area", "max": 65536, "when": [{"check": "padding", "is": "valid"}]}
//     {"check": "encoded", "is": "yes", "except": ["ArgMax", "Pad"]}
//
// "check" names a quantity (quantity.h), which observes zero or more values of a node; the test holds if it holds for each of them. Tests:
// "is" (one value or a list of allowed ones), "not" (one or a list of refused ones), "min", "max", "multiple_of". A value that is not
// known (a dynamic dim) fails, unless "unknown": "ok". "when" holds if each of its conditions observes something and holds; otherwise the
// constraint asks nothing. "except" names operators that it does not ask. "why" adds a reason to the texts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/support/quantity.h"

namespace quern::support {

struct Condition {
    const Quantity* quantity = nullptr;
    std::string argument;          // of "attribute:NAME", "constant:1": what stands after the colon
    std::vector<Fact> is, is_not;  // empty: no test
    std::optional<double> min, max, multiple_of;
    bool unknown_ok = false;

    bool holds(const Fact& fact) const;
    std::string name() const;    // "kernel height", "attribute axis"
    std::string demand() const;  // "at most 256", "int8 or int16", "1 to 3"
};

struct Constraint : Condition {
    std::vector<Condition> when;
    std::vector<std::string> except;
    std::string why;

    std::string text() const;  // the support page's line: "kernel area: at most 65536, where padding is valid"
};

// A key of an object in JSON, and what it means.
struct Key {
    std::string_view name, doc;
};
std::span<const Key> constraint_keys();

// Throws Exit::bad_input naming the place, with a suggestion for keys and quantities that are near.
Constraint read_constraint(const JsonView& json);

}  // namespace quern::support
