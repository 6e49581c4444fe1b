// Partitions as onnxruntime reads them, and back: a model, and how the values at its ends are passed.
#pragma once

#include <string>

#include "include/quern/backend.h"
#include "libcore/base/bytes.h"
#include "libcore/graph/graph.h"

namespace quern::ort {

// What a partition computes with, by the host's options of compile() and supports().
enum class Arithmetic : uint8_t { floating, fake, integer };
Arithmetic arithmetic_of(const char* options);

// The partition as a graph of this library's own.
Graph graph_of(const quern_host& host, const quern_graph& view);

// QDQ ONNX. Float values: without encodings, constants decoded. In integer runs encoded inputs and outputs are passed as quantized values.
Bytes onnx_of(const Graph& graph, Arithmetic arithmetic);

// Has it an EPContext node, the binary of a part that was compiled before?
bool holds_context(const Graph& graph);

// Values at the ends of a partition, without what is between them: all that a blob says beside its model.
Graph ends_of(const Graph& graph, Arithmetic arithmetic);

}  // namespace quern::ort
