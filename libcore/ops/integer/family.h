// The arithmetic of TensorFlow Lite's family.
#pragma once

namespace quern {
class Graph;

// Do the metadata name the arithmetic of TensorFlow Lite, of its micro runtime or of onert, as those of graphs do that were read from
// TFLite or Circle?
bool is_of_tflite(const Graph& graph);

}  // namespace quern
