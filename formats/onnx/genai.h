// ONNX as onnxruntime-genai wants it: com.microsoft's operators, and genai_config.json and tokenizer.json beside the file.
#pragma once

#include "formats/shared/format.h"

namespace quern::onnx_format {

// The graph in com.microsoft's operators (libcore/passes/onnx/contrib.h); says what stays as it is. Throws Exit::unsupported if all of it
// does.
void to_contrib(Graph& graph);

// Of a model that was read from GGUF: `graph` is what `path` has. Its tokenizer, too; says so if it cannot be said. Nothing beside a
// stream.
void write_genai_config(const Model& model, const Graph& graph, const std::string& path, Outputs& outputs);

}  // namespace quern::onnx_format
