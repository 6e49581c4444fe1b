// The table of GatherBlockQuantized: codes in blocks along one axis, each block with a scale.
#pragma once

#include "libcore/graph/encoding.h"
#include "libcore/graph/op.h"

namespace quern {

struct CodedTable {
    Tensor codes;       // as many as the table has numbers: packed bytes are int types of 2 or 4 bits
    Encoding encoding;  // real as the scales are
};

// The dims of such a table: those of `stored`, whose last is longer where bytes hold several codes.
Dims coded_table_dims(const NodeView& node, DType stored, Dims dims);
// `zeros`: nullptr, or of the type of the codes. Throws Exit::bad_input, and Exit::unsupported for codes that are floats.
CodedTable coded_table(const NodeView& node, const Tensor& stored, const Tensor& scales, const Tensor* zeros);

}  // namespace quern
