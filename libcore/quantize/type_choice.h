// What a model is quantized to where a target is named: a type, and whose rules encodings follow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct TypeChoice {
    std::string type;               // of all_schemes(), or as it was asked for; "": none was asked for, and the target states none
    std::string format, runtime;    // of destination_of(); "": those of the file that is written
    std::string static_for;         // "target NAME", whose shapes are static; "": open dims stay
    std::vector<std::string> said;  // what was decided that nobody asked for
};

// `type` ("": the target's) as `runtime` ("": the target's) takes it; `target`: a name of place --list-targets, a file, or "": none. Throws
// as load_target() does; Exit::usage if the target states no type and none is given.
TypeChoice choose_type(std::string_view type, std::string_view target, std::string_view runtime = "");

}  // namespace quern
