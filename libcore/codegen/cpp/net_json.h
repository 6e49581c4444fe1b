// `<name>_net.json`: the graph in the layout of QNN's converters, which Netron shows.
#pragma once

#include <string>

#include "formats/format.h"

namespace quern::cppgen {

// Weights are named with their sizes, not written. Bodies of nodes are not in it.
std::string net_json(const Model& model, const std::string& name);

}  // namespace quern::cppgen
