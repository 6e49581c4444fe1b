// Names of a program's results where it returns a dictionary.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/json_fwd.h"

namespace quern::torch_format {

// One for each leaf of the module's result, "KEY" or "KEY_0"; {} where the result is no dictionary, or is not described in a known form.
std::vector<std::string> output_names(const JsonView& graph_module);

}  // namespace quern::torch_format
