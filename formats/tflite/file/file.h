// A TFLite or Circle file as plain data: what both formats say about a model, checked as far as that needs no meaning. Indices are
// inside their lists (-1: absent), bytes are slices of the mapped file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/tflite/file/options_generated.h"
#include "libcore/graph/attrs.h"
#include "libcore/graph/type.h"

namespace quern::tflite_format {

using Code = tflite::BuiltinOperator;
using Element = tflite::TensorType;
using Ints = std::vector<int64_t>;

// real = (code - zero) * scale; no scale: not quantized.
struct Quantization {
    std::vector<float> scale;
    Ints zero;  // {} : all 0
    int64_t axis = 0;
    int64_t block = 0;                // blockwise: elements of the last dimension that share a scale
    int64_t scales = -1, zeros = -1;  // and the tensors that hold them
    bool mx = false;                  // blocks of 32 along `axis` share an exponent that each run finds
    bool foreign = false;             // parameters of a kind that is not known
    bool operator==(const Quantization&) const = default;
};

// One walked dimension of a sparse tensor.
struct SparseDim {
    bool dense = true;
    int64_t size = 0;        // dense
    Ints segments, indices;  // sparse
};
struct Sparsity {
    Ints order, block_map;
    std::vector<SparseDim> dims;
};

struct FileTensor {
    std::string name;
    Element type = Element::FLOAT32;
    Dims shape;
    Ints signature;  // the shape with -1 where it is not fixed; {}: as shape
    bool variable = false;
    bool compressed = false;  // Circle: Huffman codes
    bool external = false;    // in a buffer of another file
    Bytes data;               // empty: none
    Quantization quantization;
    std::optional<Sparsity> sparsity;
};

struct FileOperator {
    Code code = Code::ADD;
    std::string name;  // "CONV_2D", or what a custom operator calls itself
    int version = 1;
    Ints in, out, intermediates;
    Attrs options;  // by their names, enumerators by theirs; what has its default may be absent
    Bytes custom_options;
    bool kept = false;  // written as it was read, and not understood
};

struct Subgraph {
    std::string name;
    std::vector<FileTensor> tensors;
    Ints inputs, outputs;
    std::vector<FileOperator> operators;
};

struct Signature {
    struct Alias {
        std::string name;
        uint32_t tensor;
    };
    std::string key;
    std::vector<Alias> inputs, outputs;
    uint32_t subgraph = 0;
};

struct File {
    uint32_t version = 0;
    std::string description;
    std::vector<Subgraph> subgraphs;
    std::vector<Signature> signatures;
    std::vector<std::pair<std::string, Bytes>> metadata;
};

}  // namespace quern::tflite_format
