// Codes on the interface of a model: numbers of an integer type for ONNX, encodings for formats and devices that know inputs and outputs as
// stored.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// An integer input that nothing reads but DequantizeLinear of one encoding, and an integer output that QuantizeLinear makes, become float
// values with that encoding; between these nodes and the interface codes may be moved. Encodings of 8 or 16 bits with one scale only; not
// in bodies. What is passed at run time is then named otherwise, so that this is for files that say how their interface is stored, and for
// questions about a graph. The number of inputs and outputs that changed.
struct Ends {
    bool inputs = true, outputs = true;
};
int fold_interface(Graph& graph, Ends which = {});

}  // namespace quern
