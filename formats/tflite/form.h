// What a TFLite or Circle file makes of a model, without the file.
#pragma once

#include <string_view>

#include "formats/shared/format.h"

namespace quern::tflite_format {

// The graph that a reader of the written file has; `format` is "tflite" or "circle". Values keep their names as far as they are left.
// Throws Exit::unsupported naming the node, as writing does.
Graph form_of(const Model& model, std::string_view format);

}  // namespace quern::tflite_format
