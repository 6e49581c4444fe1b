// What devices are asked for and what they can do: wishes that a device refuses are moved to "cpu" and told.
#pragma once

#include <string>
#include <vector>

#include "libcore/place/nodes.h"

namespace quern::place {

struct Refused {
    std::string key, type, device, reason;
};
std::string to_string(const Refused& refused);  // node "Relu_0" (onnx.Relu): nnpa cannot run it: ...

// Nodes that ask for a device which refuses them are placed on "cpu". Returned in program order.
std::vector<Refused> settle_wishes(Graph& graph, const Target& target);

// Nodes on "cpu" that every other device of the target refuses, a record for each device.
std::vector<Refused> refused_by_all(Graph& graph, const Target& target);

}  // namespace quern::place
