// Indices as TFLite and Circle take them.
#pragma once

#include <string_view>

#include "libcore/graph/graph.h"

namespace quern::tflite_format {

// ONNX counts indices below 0 from the end, the formats' kernels refuse them or read outside: those of gathering and scattering are counted
// from the start. Constants are said anew; what is computed, and may be below 0, becomes its remainder by the length.
// Gather and GatherND with "negative_outside" (ops/shared/indices.h) come from files whose indices are none.
void count_from_start(Graph& graph, std::string_view format);

}  // namespace quern::tflite_format
