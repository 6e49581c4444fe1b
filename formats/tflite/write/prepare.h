// Brings a graph to what the formats can say: channels-last, simplified, encodings as the readers of these files expect them.
#pragma once

#include "formats/shared/format.h"

namespace quern::tflite_format {

// `format`: whose operators those are that are put together again.
void prepare(Graph& graph, std::string_view format, const WriteOptions& options);

}  // namespace quern::tflite_format
