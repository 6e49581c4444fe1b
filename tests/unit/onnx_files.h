// Small ONNX messages and files for tests.
#pragma once

#include <filesystem>
#include <string>

#include "formats/onnx/onnx.pb.h"

namespace quern::test {

// A folder that goes with its contents.
class Folder {
   public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& contents) const;

   private:
    std::filesystem::path path_;
};

// x: float32[2,3] -> Relu -> y, opset 21.
onnx::Model relu_model();
onnx::Node& add_node(onnx::Graph& graph, const std::string& op, std::initializer_list<std::string> in,
                     std::initializer_list<std::string> out);
onnx::Tensor& add_floats(onnx::Graph& graph, const std::string& name, std::initializer_list<int64_t> dims,
                         std::initializer_list<float> items);
void set_type(onnx::ValueInfo& info, const std::string& name, int elem_type, std::initializer_list<int64_t> dims);
void set_external(onnx::Tensor& tensor, const std::string& location, const std::string& offset = "", const std::string& length = "");

}  // namespace quern::test
