// The messages of a GraphDef and of its function library as plain data: tensors are slices of the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "formats/tensorflow/file/tensor.h"

namespace quern::tensorflow_format {

struct FunctionName {
    std::string name;
};

using TypeList = std::vector<DType>;
using AttrValue =
    std::variant<std::monostate, int64_t, float, bool, std::string, DType, Shape, StoredTensor, FunctionName, std::vector<int64_t>,
                 std::vector<float>, std::vector<std::string>, TypeList, std::vector<Shape>, std::vector<FunctionName>>;

struct Node {
    std::string name, op;
    std::vector<std::string> inputs;  // as written: "node", "node:1", "node:arg:1", "^node"
    std::map<std::string, AttrValue, std::less<>> attrs;

    // nullptr: it has none, or one of another kind.
    template <class T>
    const T* attr(std::string_view key) const {
        const auto found = attrs.find(key);
        return found == attrs.end() ? nullptr : std::get_if<T>(&found->second);
    }
};

struct Argument {
    std::string name;
    DType dtype = DType::none;  // none: a resource, a list, or as an attribute says
    bool resource = false;
};

struct Function {
    std::string name;
    std::vector<Argument> inputs, outputs;
    std::vector<Node> nodes;
    std::map<std::string, std::string> results;   // of each output: "node:arg:k", or an input
    std::map<std::string, std::string> controls;  // nodes that run whatever is read
};

struct GraphDef {
    std::vector<Node> nodes;
    std::map<std::string, Function, std::less<>> functions;
};

GraphDef read_graph_def(const Bytes& message);

}  // namespace quern::tensorflow_format
