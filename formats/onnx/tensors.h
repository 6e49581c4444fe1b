// ONNX tensors and types: from messages, to messages, and as files of their own (.pb test data).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern::onnx {
class Tensor;
class SparseTensor;
class Type;
}  // namespace quern::onnx

namespace quern {

// A serialised TensorProto. Throws Exit::bad_input.
Tensor parse_onnx_tensor(const Bytes& file);
// A serialised TensorProto, SequenceProto or OptionalProto as `type` says, as sequence.h holds it.
Tensor parse_onnx_value(const Bytes& file, const Type& type);
std::string write_onnx_tensor(const std::string& name, const Tensor& tensor);

namespace onnx_format {

// Where the bytes of tensors are: payloads of the skeleton, files beside the model.
class TensorSource {
   public:
    // `model`: its file, beside which external data lies; empty: there is none.
    TensorSource(std::span<const Bytes> payloads, std::string model) : payloads_(payloads), model_(std::move(model)) {}
    Tensor read(const onnx::Tensor& message);
    Tensor read(const onnx::SparseTensor& message);  // densified
    // The files of external data that have been read from, in the order of their first use.
    const std::vector<std::pair<std::string, Bytes>>& files() const { return files_; }

   private:
    Bytes external(const onnx::Tensor& message);
    Bytes mapped(const std::string& location);
    std::span<const Bytes> payloads_;
    std::string model_;
    std::vector<std::pair<std::string, Bytes>> files_;
};

DType dtype_from(int data_type);
Type type_from(const onnx::Type& message, int depth = 0);
void put_type(const Type& type, onnx::Type& message);
// Everything but raw_data.
void put_tensor_head(const std::string& name, const Tensor& tensor, onnx::Tensor& message);
// With the elements (string_data for strings).
void put_tensor(const std::string& name, const Tensor& tensor, onnx::Tensor& message);

}  // namespace onnx_format
}  // namespace quern
