// Quantized LSTMs. On codes, as TensorFlow Lite's specification has it: int8 operands and results, one scale a gate for the weights, an
// int16 cell state whose scale is a power of two. With weights of codes and data quantized at run time, as onnxruntime has it.
#pragma once

#include <string>
#include <string_view>

#include "libcore/quant/plan/plan.h"
#include "libcore/quant/plan/statistics.h"

namespace quern {

// Under which ranges hold the cells of an LSTM over all steps, by the key of its first result.
std::string cell_key(std::string_view result);

// The graph whose LSTMs give their cells of all steps as a value of that name, for observers.
Graph with_cells(const Graph& graph);

bool is_lstm(const Node& node);  // of the standard

// Why a node that `scheme` asks for has no form on codes; empty if it has. `cells`: what was seen of its cells, or nullptr.
std::string lstm_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const ValueRange* cells);

// Weights, biases and states of the quantized LSTMs, after the activations are assigned.
void assign_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const Statistics& statistics, const QuantOptions& options,
                  QuantReport& report);

// Has the runtime a kernel that multiplies a sequence of real numbers with int8 weights? TensorFlow Lite's of LSTM and RNN do.
bool is_hybrid_recurrent(const Node& node, const Recipe& recipe);

// Why a recurrent operator that a dynamic `scheme` asks for has no form whose weights are codes; empty if it has.
std::string dynamic_recurrent_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const Recipe& recipe);

// com.microsoft.DynamicQuantizeLSTM in the place of LSTMs that a dynamic type quantizes by onnxruntime's rules. Its weights [directions,
// input, 4 * hidden] are turned; scales [directions, 4 * hidden], or [directions] per tensor.
void assign_dynamic_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantOptions& options, QuantReport& report);

}  // namespace quern
