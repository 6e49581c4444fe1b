// Products of real numbers with weights that are stored as codes: which of them are computed without decoding the weights once for all.
#pragma once

#include <string_view>

#include "libcore/graph/graph.h"

namespace quern {

// The most rows of a MatMul or Gemm that are worth it: more of them use each weight often enough to have it decoded.
constexpr int64_t max_stored_rows = 32;

// Is it MatMulNBits, or MatMul or Gemm with constant weights (input 1) in codes?
bool reads_stored_weights(const Graph& graph, const Node& node);
// Why no kernel takes such a node; "" if one does: few rows, or with weights in blocks an unknown number of them; weights of at most 8 bits
// with one scale, one a column or blocks of scales along the depth.
std::string_view stored_weights_obstacle(const Graph& graph, const Node& node);

// How weights [depth, columns] lie as codes: element (k, column) is number k * depth_step + column * column_step.
struct StoredLayout {
    int64_t depth, columns, depth_step, column_step;
    int64_t block;  // weights of one column that share a scale
    int64_t blocks() const { return (depth + block - 1) / block; }
};
StoredLayout stored_layout(const Graph& graph, const Node& node);  // of a MatMul or Gemm without obstacle

}  // namespace quern
