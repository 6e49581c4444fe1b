// Operands as a device counts them that works on whole tiles.
//
// A tile lies on the last dims of an operand. Of data with channels and space these are the width and the channels, of filters the input
// and the output channels, however the graph orders them; windows and batches are not rounded.
#pragma once

#include <span>

#include "libcore/graph/op.h"

namespace quern::place {

using Tile = std::span<const int64_t>;  // Device::tile: lengths of a tile, of the last dims

// As onnx-mlir counts dims that are not known: the first 1 (the batch), of the others the last 64, the one before it 32, the rest 1.
Dims assumed_dims(const Shape& shape);
// The same of an input or output of `node`, each dim that a tile lies on rounded up; in the order of the graph's dims.
Dims tiled_dims(const Graph& graph, const Node& node, ValueId operand, Tile tile);

// The axes of an input or output of `node`, of this rank, in the order in which a device lays them: of data with channels and space the
// channels last.
std::vector<size_t> device_order(const Graph& graph, const Node& node, ValueId operand, size_t rank);

}  // namespace quern::place
