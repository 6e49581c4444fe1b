// What a file says about itself, as metadata of the graph: FORMAT.version, FORMAT.description, FORMAT.metadata.NAME, and its
// signatures as JSON, FORMAT.signature.KEY: {"inputs": {ALIAS: VALUE}, "outputs": {...}, "subgraph": N}.
#pragma once

#include <optional>

#include "formats/tflite/file/file.h"
#include "libcore/graph/graph.h"

namespace quern::tflite_format {

// `first`: the subgraph that is the model, and has number 0 from now on.
void put_metadata(const File& file, std::string_view format, Graph& graph, std::optional<int64_t> first = {});
// The way back, from what a file of either format left; tensors of signatures are found by their names.
void take_metadata(const Graph& graph, File& file);

}  // namespace quern::tflite_format
