// Placements of a model and of what is read back of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "formats/format.h"

namespace quern::laws {

inline constexpr std::string_view placed_on[] = {"htp", "ethos-u55-128"};

struct Placed {
    std::map<std::string, std::string> devices;  // by the name of each encoded value: where it is made
    // Does whatever can go to a device? A node of the graph is on cpu, then, if one of the operators that a file has for it is.
    bool all_that_can = false;
    double seconds = 0;  // of one run
};

// The cheapest placement, as `place` has it of the graph or, `in_form`, of a file of the target's own format.
Placed placed(const Model& model, std::string_view target, bool in_form);

// What is said of values of both that are made on different devices; "" if all agree.
std::string difference(const Placed& want, const Placed& got);

}  // namespace quern::laws
