// Counts over a graph and its bodies: what model-info shows and conversions report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

struct Summary {
    uint64_t nodes = 0;
    std::map<std::string, uint64_t> ops;            // "Conv", "com.microsoft.Gelu": how many nodes
    std::vector<std::string> unknown_ops;           // that are in no table
    uint64_t parameters = 0;                        // elements of constants
    uint64_t weight_bytes = 0;                      // equal memory counted once
    std::map<std::string, uint64_t> weight_dtypes;  // storage type: elements
    uint64_t encoded = 0;                           // values with an encoding
    std::map<std::string, uint64_t> encodings;      // "int8", "int8 per channel": values
    std::map<std::string, uint64_t> devices;        // nodes placed on each
    std::optional<double> macs;                     // of one run without bodies; nullopt if a shape that matters is not fixed
};

Summary summarize(const Graph& graph);
std::optional<double> node_macs(const Graph& graph, const Node& node);  // nullopt if a shape that matters is not fixed
bool has_encodings(const Graph& graph);                                 // of any value, bodies included
std::string full_name(const Op& op);      // "Conv", "com.microsoft.Gelu", as reports, targets and placements say it
std::string described(const Node& node);  // node "conv1" (Conv)

// Runs `body`, which leaves the node where it is; an Error that leaves it gets the node prepended.
template <class Body>
decltype(auto) at_node(const Node& node, Body&& body) {
    return at_place([&] { return described(node); }, body);
}

}  // namespace quern
