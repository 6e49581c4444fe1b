// The quantizer: from a float graph and its ranges to a graph with encodings (the folded form: no quantized operators).
//
//     plan     which nodes are quantized, how and why not (rules, operator rows, estimated noise); integer units
//     assign   which encoding each value needs, and where one value needs two (Recode)
//     apply    grids from the ranges, weights and biases turned to codes, everything reported
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/os/threads.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/report/report.h"
#include "libcore/quant/types/work.h"

namespace quern {

// Quantizes `graph` and its bodies. `ranges` may be nullptr for schemes without activations. Throws Exit::bad_input naming a value
// that is needed but was not observed, or a rule that matches nothing (allow_unmatched: the report lists it).
QuantReport quantize_graph(Graph& graph, const Ranges* ranges, const QuantWork& work, ThreadPool& pool);

// The keys of all values of a graph and its bodies.
std::vector<std::string> value_keys(const Graph& graph);

}  // namespace quern
