// Tensors of a file as ours: element types, encodings, constants.
#pragma once

#include <optional>

#include "formats/tflite/file/file.h"
#include "libcore/graph/encoding.h"
#include "libcore/graph/tensor.h"

namespace quern::tflite_format {

// How elements are stored; none for handles of resources and variants. Block types of ggml: of their codes.
DType dtype_of(Element type);
// ggml's blocks of 32 weights, each with its scale in front.
bool is_blocked(Element type);

// Activations whose blocks of 32 share an exponent that is not in the file.
bool is_mx(Element type);
// The way back.
std::optional<Element> mx_element(const Encoding& encoding);  // nullopt: no MX type says this
Element element_named(DType dtype);
// What a tensor means (float32 if it is encoded) and its shape, unknown where the signature says so.
Type type_of(const FileTensor& tensor);
// Quantization parameters as an encoding; nullopt if there are none. Not for block types, whose scales stand between the codes.
std::optional<Encoding> encoding_of(const FileTensor& tensor, const Subgraph& graph);

struct Constant {
    Tensor data;  // in storage type
    std::optional<Encoding> encoding;
};
// The contents of a tensor that has some. Dense tensors share the file's bytes.
Constant constant_of(const FileTensor& tensor, const Subgraph& graph, size_t file_size);

// Attribute memory_<i> of a custom operator that is kept: input i is memory of this type that the operator works in, absent in the graph.
constexpr std::string_view kept_memory = "memory_";

// Numbers of a constant of integers; nullopt if the tensor is no such constant.
std::optional<Ints> ints_of(const FileTensor& tensor);

// What errors and notices call an operator, by its first result.
std::string place_of(const FileOperator& op, const Subgraph& graph);

// A tensor of texts as a buffer holds it.
Bytes text_bytes(const Tensor& tensor);

// sparse.cpp: every element of a sparse tensor, zeros included.
Bytes dense_bytes(const FileTensor& tensor, size_t limit);
// blocks.cpp: codes and scales of ggml's blocks taken apart.
Constant unblocked(const FileTensor& tensor);
// And put together, without a name; nullopt: no block type of ggml says this.
std::optional<FileTensor> in_blocks(const Tensor& codes, const Encoding& encoding);

}  // namespace quern::tflite_format
