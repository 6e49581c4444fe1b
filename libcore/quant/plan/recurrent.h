// Recurrent layers that are quantized: what is measured of them beside their values, and which of them have a form. On quantized values an
// LSTM is as TensorFlow Lite's specification has it: int8 operands and results, one scale a gate for the weights, an int16 cell state whose
// scale is a power of two. With quantized weights, and data quantized at run time, it is as onnxruntime has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcore/graph/graph.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/types/recipe.h"
#include "libcore/quant/types/scheme.h"

namespace quern {

// Under which ranges hold the cells of an LSTM over all steps, by the key of its first result.
std::string cell_key(std::string_view result);
ValueId first_result(const Node& node);  // that the node makes

// The graph whose LSTMs give their cells of all steps as a value of that name, for observers.
Graph with_cells(const Graph& graph);

bool is_lstm(const Node& node);  // of the standard

// The shape of an LSTM's first state; nullopt if the batch is not known.
std::optional<Dims> lstm_state_dims(const Graph& graph, const Node& node);
// The exponent of the least power of two, 1 at least, that no cell exceeds.
int cell_power(const Node& node, const ValueRange& cells);

// Why a node that `scheme` asks for has no quantized form; empty if it has. `cells`: what was seen of its cells, or nullptr.
std::string lstm_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const ValueRange* cells);

// Has the runtime a kernel that multiplies a sequence of floats with int8 weights? TensorFlow Lite's of LSTM and RNN do.
bool is_hybrid_recurrent(const Node& node, const Recipe& recipe);

// Why a recurrent operator that a dynamic `scheme` asks for has no form with quantized weights; empty if it has.
std::string dynamic_recurrent_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const Recipe& recipe);

}  // namespace quern
