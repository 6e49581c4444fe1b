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

// Is the constant nothing but a table [rows, numbers] that Gather looks up along axis 0, with a scale per row or in blocks along the rows?
bool is_row_table(const Graph& graph, ValueId id);
// Each Gather of the table so that nobody makes numbers of rows that are not asked for: of codes of 4 bits com.microsoft's
// GatherBlockQuantized; else one Gather of codes, one of scales and ones of zero points and minima, with DequantizeLinear behind, or of a
// scale per row Cast and Mul. `standard`: by the standard's operators alone.
void lower_row_table(Graph& graph, ValueId id, bool standard);
// Symmetric weights that leave the least code unused are marked so, as the quantizer does.
Encoding of_weights(Encoding encoding, const Tensor& codes);
// The opposite of lower_row_table: such nodes become a Gather of a constant with an encoding; how many there were.
int fold_row_tables(Graph& graph);

}  // namespace quern
