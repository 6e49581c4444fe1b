// Session options without which onnxruntime computes something else than a file says.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern::onnx_format {

struct SessionOption {
    std::string entry;  // "session.qdq_matmulnbits_accuracy_level = 1"
    std::string why;    // "2 products of float activations, which it computes in 8 bits else"
};

// Of a graph in the operators that are written.
std::vector<SessionOption> session_options(const Graph& root);

}  // namespace quern::onnx_format
