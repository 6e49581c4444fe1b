// Types of a graph as a file has it, which its exporter declared.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

// As infer_types(); but where a declared shape disagrees with what is computed, `told` says so in a line, and the computed one counts.
void infer_declared_types(Graph& graph, std::vector<std::string>& told);
// To the user, of what `file` declares.
void say_told(const std::string& file, std::vector<std::string> told);

}  // namespace quern
