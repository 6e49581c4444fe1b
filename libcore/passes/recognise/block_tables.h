// How ONNX says constants in blocks of scales where DequantizeLinear alone does not: minima, and tables of which rows are looked up.
// Written by lower_encodings, read by fold_qdq.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// Adds what follows DequantizeLinear's `scaled` where blocks have minima: Reshape to blocks, Add of [.., blocks, 1, ..], Reshape back; `to`
// is the value that all of it computes. The bits are those of the encoding.
void add_minima(Graph& graph, ValueId scaled, const Encoding& encoding, const Dims& dims, ValueId to);

// The opposite, behind constants whose DequantizeLinear is folded already; how many there were.
int fold_minima(Graph& graph);

// Is the constant nothing but a table of rows that Gather looks up along axis 0, in blocks along the last dim?
bool is_block_table(const Graph& graph, ValueId id);
// Each Gather of the table as one of codes, one of scales and one of minima, with DequantizeLinear behind: nobody makes numbers of rows
// that are not asked for.
void lower_block_table(Graph& graph, ValueId id);

}  // namespace quern
