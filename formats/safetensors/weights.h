// The constants of a graph by name, from a container of tensors and into one. Those of bodies are "node/body/name".
#pragma once

#include <string>
#include <vector>

#include "formats/safetensors/safetensors.h"
#include "libcore/graph/graph.h"

namespace quern::safetensors {

struct TakenWeights {
    size_t taken = 0;
    std::vector<std::string> unused;  // tensors that no constant of the graph has the name of
};

// Floats of another width are converted. Throws Exit::bad_input where a tensor is not as its constant, or where no name fits.
TakenWeights take_weights(Graph& graph, const Container& container);

// All constants, as they are stored. Throws Exit::unsupported for those in blocks and for element types that the format does not have.
std::vector<Named> weights_of(const Graph& graph);

}  // namespace quern::safetensors
