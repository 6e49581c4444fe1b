// A frozen graph says neither its inputs nor its outputs.
#pragma once

#include "formats/tensorflow/import.h"

namespace quern::tensorflow_format {

// Placeholders, and what nobody reads of what is computed of them.
Interface interface_of(const NodeGraph& graph);

}  // namespace quern::tensorflow_format
