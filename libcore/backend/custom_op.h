// Operators that back ends and op packages bring: rows whose functions are C functions of a library.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "include/quern/backend.h"
#include "libcore/graph/op.h"

namespace quern {

// Adds them to the operators of this process, once for each library. Throws Exit::unsupported or Exit::usage naming the operator.
void register_custom_ops(std::span<const quern_custom_op* const> ops);
std::vector<const Op*> custom_ops();  // that were added, in order

// Loads the operators of a library: an op package, or a back end by its name or path. It is tried in a child process first.
// Errors begin with `what` and the name.
void load_op_package(const std::string& name, std::string_view what = "op package");

std::vector<std::string> loaded_op_packages();  // the paths of what was loaded so

// Opens the library and looks at its operators: for a process that may crash.
void check_op_package(const std::string& path);

// Those that QUERN_OP_PACKAGES names (";" between them).
void load_op_packages_of_environment();

}  // namespace quern
