// From a GraphDef to a Graph: what the outputs are computed of is rewritten by the rows of map/map.h.
#pragma once

#include "formats/tensorflow/library.h"
#include "formats/tensorflow/map/importer.h"

namespace quern::tensorflow_format {

Graph import_graph(Library& library, const Interface& interface, const VariableContents& variables, size_t file_size);

}  // namespace quern::tensorflow_format
