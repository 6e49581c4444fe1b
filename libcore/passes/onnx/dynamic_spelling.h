// The grid of dynamic int8 codes in operators of ONNX, whose DynamicQuantizeLinear gives uint8 alone: what dynamic_encoding() computes,
// in the same order of float32 operations.
//
//     low = min(ReduceMin(x), 0), high = max(ReduceMax(x), 0), scale = (high - low) / 255, zero = round(clip(-128 - low / scale))
//     symmetric: scale = ReduceMax(|x|) / 127, zero = 0
//
// and scale 1, zero 0 of nothing but zeros.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/graph.h"

namespace quern {

struct DynamicGrid {
    ValueId scale, zero;  // rank 0, float32 and int8
};
// Nodes that make the grid of x for int8 codes; `encoding` is dynamic, with the limits [-128, 127] or [-127, 127].
DynamicGrid spell_dynamic_grid(Graph& graph, ValueId x, const Encoding& encoding, const std::string& name);

// The encoding that such nodes stand for; nothing where `scale` and `zero` are made otherwise.
std::optional<Encoding> spelled_dynamic(const Graph& graph, ValueId x, ValueId scale, ValueId zero);

Encoding dynamic_codes(DType storage, bool symmetric = false);

}  // namespace quern
