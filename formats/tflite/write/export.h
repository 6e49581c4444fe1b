// From a Graph to a File.
#pragma once

#include "formats/shared/format.h"
#include "formats/tflite/file/file.h"

namespace quern::tflite_format {

// `format` is "tflite" or "circle". The graph is brought to channels-last and simplified first. Throws Exit::unsupported naming the
// node if an operator cannot be said there.
File export_model(const Model& model, std::string_view format, const WriteOptions& options, bool asked_about = false);

// Leaves out each TRANSPOSE that turns back what another has turned.
void join_transposes(Subgraph& graph);
// The tensors in the order in which operators meet them; what none of them names is left out.
void order_tensors(Subgraph& graph);

}  // namespace quern::tflite_format
