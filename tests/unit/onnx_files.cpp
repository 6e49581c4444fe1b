#include "tests/unit/onnx_files.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace quern::test {

Folder::Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "quern-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& contents) const {
    std::ofstream(path_ / name, std::ios::binary) << contents;
    return file(name);
}

onnx::Node& add_node(onnx::Graph& graph, const std::string& op, std::initializer_list<std::string> in,
                     std::initializer_list<std::string> out) {
    onnx::Node& node = *graph.add_node();
    node.set_op_type(op);
    for (const std::string& name : in) node.add_input(name);
    for (const std::string& name : out) node.add_output(name);
    return node;
}

onnx::Tensor& add_floats(onnx::Graph& graph, const std::string& name, std::initializer_list<int64_t> dims,
                         std::initializer_list<float> items) {
    onnx::Tensor& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(1);
    for (const int64_t dim : dims) tensor.add_dims(dim);
    for (const float item : items) tensor.add_float_data(item);
    return tensor;
}

void set_type(onnx::ValueInfo& info, const std::string& name, int elem_type, std::initializer_list<int64_t> dims) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor();
    tensor.set_elem_type(elem_type);
    tensor.mutable_shape();
    for (const int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_value(dim);
}

void set_external(onnx::Tensor& tensor, const std::string& location, const std::string& offset, const std::string& length) {
    tensor.clear_float_data();
    tensor.set_data_location(1);
    for (const auto& [key, text] : {std::pair("location", location), std::pair("offset", offset), std::pair("length", length)}) {
        if (text.empty()) continue;
        auto* entry = tensor.add_external_data();
        entry->set_key(key);
        entry->set_value(text);
    }
}

onnx::Model relu_model() {
    onnx::Model model;
    model.set_ir_version(10);
    model.add_opset_import()->set_version(21);
    auto& graph = *model.mutable_graph();
    graph.set_name("test");
    set_type(*graph.add_input(), "x", 1, {2, 3});
    set_type(*graph.add_output(), "y", 1, {2, 3});
    add_node(graph, "Relu", {"x"}, {"y"}).set_name("relu");
    return model;
}

}  // namespace quern::test
