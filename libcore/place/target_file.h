// Targets that ship, and those in files.
#pragma once

#include "libcore/base/json_fwd.h"
#include "libcore/place/target.h"

namespace quern::place {

// A shipped target, or a file: what holds a '/' or ends in ".json". Errors: Exit::usage for an unknown name, with a suggestion;
// Exit::bad_input naming file and place; Exit::io.
Target load_target(std::string_view name_or_path);
Json target_document(std::string_view name_or_path);  // with what it extends; no more is checked of it
Target parse_target(std::string_view json);           // "extends" may name shipped targets only
std::vector<std::string> target_names();              // shipped, sorted

}  // namespace quern::place
