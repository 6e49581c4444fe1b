// Brings a graph to what the formats can say: channels-last, simplified, encodings as the readers of these files expect them.
#pragma once

#include "formats/format.h"

namespace quern::tflite_format {

void prepare(Graph& graph, const WriteOptions& options);

}  // namespace quern::tflite_format
