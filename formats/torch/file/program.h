// An exported program as plain data: what its JSON says (schema versions 7 and 8 of torch.export), without meaning.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/type.h"

namespace quern::torch_format {

struct ProgramGraph;

struct Argument {
    enum class Kind : uint8_t {
        none,
        tensor,   // `text`: a name
        symbol,   // `text`: a name of a number that is computed
        integer,  // and boolean
        real,
        text,
        dtype,  // `integer`: a number of the file's table
        list,
        graph,
        other  // `text`: the kind, which nothing here has a use for
    };
    Kind kind = Kind::none;
    bool boolean = false;  // of an integer
    int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<Argument> items;
    std::shared_ptr<const ProgramGraph> graph;
};

struct TensorMeta {
    DType dtype = DType::none;
    Shape shape;
};

struct ProgramNode {
    std::string target;  // "aten.add.Tensor": without "torch.ops."
    std::string alias;   // the file's name for it, where that is a second one
    std::vector<std::pair<std::string, Argument>> in;
    std::vector<Argument> out;
    std::string name;
    std::string module, module_type;  // "encoder.layer.0", "torch.nn.modules.linear.Linear"; "": the program's own
};

struct ProgramGraph {
    std::vector<Argument> inputs, outputs;
    std::vector<ProgramNode> nodes;
    std::map<std::string, TensorMeta, std::less<>> tensors;
    bool returns_list = false;  // the caller has one result, a list
};

struct InputSpec {
    enum class Kind : uint8_t { input, parameter, buffer, constant, number };
    Kind kind = Kind::input;
    std::string name;   // in the graph
    std::string owner;  // of a parameter, buffer or constant: the module's name for it
};

struct OutputSpec {
    enum class Kind : uint8_t { output, buffer, input };  // the value that a buffer or an input has next
    Kind kind = Kind::output;
    Argument value;
    std::string target;  // the buffer's or input's name
};

struct Program {
    ProgramGraph graph;
    std::vector<InputSpec> inputs;
    std::vector<OutputSpec> outputs;
    std::vector<std::string> output_names;  // of the outputs for the user, where the program returns a dictionary; else {}
    std::string torch_version;
    bool functional = false;  // operators of the form x_ do not occur
};

// Throws Exit::bad_input with the place in the document, Exit::unsupported for other schema versions.
Program read_program(std::string_view json);

}  // namespace quern::torch_format
