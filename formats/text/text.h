// The one text form: generic MLIR syntax, for reading, tests and diffs. docs/text.md describes it.
//
//     func.func @main(%x: tensor<?{batch}x4xf32>) -> tensor<?{batch}x4xf32> {
//       %0 = "onnx.Relu"(%x) {onnx_node_name = "Relu_0"} : (tensor<?{batch}x4xf32>) -> tensor<?{batch}x4xf32>
//       onnx.Return %0 : tensor<?{batch}x4xf32>
//     }
//
// What MLIR has no word for is an attribute named quern.*: encodings, permutations, scopes, units, captures under another name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/shared/format.h"

namespace quern {

enum class TextWeights : uint8_t {
    elide,  // for display: dense_resource<__elided__>; such text is no model to run, the reader refuses it
    hex,    // everything in the text
    file,   // in a side file: #quern.file<"net.mlir.data", offset, size>
};

struct TextOptions {
    TextWeights weights = TextWeights::hex;
    int64_t numbers = 16;        // constants of at most this many elements are written as numbers
    std::string side_file;       // its name, for TextWeights::file
    OutputFile* side = nullptr;  // where its bytes go, for TextWeights::file
};

using TextSink = std::function<void(std::string_view)>;
void print_text(const Model& model, const TextOptions& options, const TextSink& sink);
std::string print_text(const Graph& graph, const TextOptions& options = {});

// `file`, if any, is where the text is from: side files lie beside it; empty: they are refused. Errors are Exit::bad_input, "line:column:
// what". Values have the types that the text gives them; nothing is inferred.
Model parse_text(std::string_view text, const std::string& file = {});

bool sniff_text(const Bytes& bytes);
Model read_text(const Bytes& bytes, const std::string& path);
void write_text(const Model& model, const std::string& path, const WriteOptions& options);

}  // namespace quern
