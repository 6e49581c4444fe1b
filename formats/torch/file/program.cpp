#include "formats/torch/file/program.h"

#include <algorithm>
#include <limits>

#include "formats/torch/file/aliases.h"
#include "formats/torch/file/output_names.h"
#include "formats/torch/file/stored.h"
#include "formats/torch/file/symbols.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

using Kind = Argument::Kind;

ProgramGraph graph_of(const JsonView& json);

// A union is an object of one member.
std::pair<std::string, JsonView> only_member(const JsonView& json) {
    if (!json.json().is_object() || json.json().size() != 1) json.fail("need an object of one member");
    const std::string key = json.json().begin().key();
    return {key, json[key]};
}

Argument of_kind(Kind kind, std::string text = {}) {
    Argument argument;
    argument.kind = kind;
    argument.text = std::move(text);
    return argument;
}

Argument number_of(const JsonView& json) {
    Argument argument = of_kind(Kind::integer);
    argument.boolean = json.json().is_boolean();
    argument.integer = argument.boolean ? json.boolean() : json.integer();
    return argument;
}

// Numbers that JSON has no word for come as text.
Argument real_of(const JsonView& json) {
    Argument argument = of_kind(Kind::real);
    const double infinity = std::numeric_limits<double>::infinity();
    if (!json.json().is_string())
        argument.real = json.real();
    else if (json.text() == "Infinity" || json.text() == "-Infinity")
        argument.real = json.text()[0] == '-' ? -infinity : infinity;
    else if (json.text() == "NaN")
        argument.real = std::numeric_limits<double>::quiet_NaN();
    else
        json.fail("need a number");
    return argument;
}

template <class Fn>
Argument list_of(const JsonView& json, const Fn& item) {
    Argument list = of_kind(Kind::list);
    for (size_t i = 0; i < json.size(); ++i) list.items.push_back(item(json.at(i)));
    return list;
}

Argument argument_of(const JsonView& json);

Argument tensor_of(const JsonView& json) { return of_kind(Kind::tensor, json["name"].text()); }

// {"as_name": NAME} or {"as_int": N}, {"as_float": X}, {"as_bool": B}
Argument symbol_of(const JsonView& json) {
    const auto [key, value] = only_member(json);
    if (key == "as_name") return of_kind(Kind::symbol, value.text());
    return key == "as_float" ? real_of(value) : number_of(value);
}

Argument graph_argument(const JsonView& json) {
    Argument argument = of_kind(Kind::graph, json["name"].text());
    argument.graph = std::make_shared<const ProgramGraph>(graph_of(json["graph"]));
    return argument;
}

Argument argument_of(const JsonView& json) {
    const auto [key, value] = only_member(json);
    if (key == "as_none" || value.json().is_null()) return {};
    if (key == "as_tensor") return tensor_of(value);
    if (key == "as_tensors") return list_of(value, tensor_of);
    if (key == "as_optional_tensor") return argument_of(value);
    if (key == "as_optional_tensors") return list_of(value, argument_of);
    if (key == "as_nested_tensors") return list_of(value, [](const JsonView& item) { return list_of(item, tensor_of); });
    if (key == "as_int" || key == "as_bool") return number_of(value);
    if (key == "as_ints" || key == "as_bools") return list_of(value, number_of);
    if (key == "as_int_lists") return list_of(value, [](const JsonView& item) { return list_of(item, number_of); });
    if (key == "as_float") return real_of(value);
    if (key == "as_floats") return list_of(value, real_of);
    if (key == "as_string") return of_kind(Kind::text, value.text());
    if (key == "as_strings") return list_of(value, [](const JsonView& item) { return of_kind(Kind::text, item.text()); });
    if (key == "as_sym_int" || key == "as_sym_float" || key == "as_sym_bool") return symbol_of(value);
    if (key == "as_sym_ints" || key == "as_sym_floats" || key == "as_sym_bools") return list_of(value, symbol_of);
    if (key == "as_graph") return graph_argument(value);
    if (key == "as_scalar_type") {
        Argument argument = number_of(value);
        argument.kind = Kind::dtype;
        return argument;
    }
    return of_kind(Kind::other, key);
}

TensorMeta meta_of(const JsonView& json) {
    TensorMeta meta{dtype_of_code(json["dtype"].integer()), Shape::of_rank(json["sizes"].size())};
    for (size_t i = 0; i < meta.shape.rank(); ++i) {
        const auto [key, value] = only_member(json["sizes"].at(i));
        meta.shape.dims[i] = key == "as_int" ? Dim::of(static_cast<int64_t>(value.natural())) : dim_of(value["expr_str"].text());
    }
    if (json.has("layout") && json["layout"].integer() != 7) throw unsupported("a tensor that is not strided");
    return meta;
}

// "key,path,type;key,path,type": the innermost module counts.
void read_module(const JsonView& metadata, ProgramNode& node) {
    if (!metadata.has("nn_module_stack")) return;
    const std::string& stack = metadata["nn_module_stack"].text();
    const std::string last = stack.substr(stack.rfind(';') + 1);
    const auto parts = split(last, ',');
    if (parts.size() != 3) return;
    node.module = parts[1];
    node.module_type = parts[2];
}

ProgramNode node_of(const JsonView& json) {
    ProgramNode node{.target = json["target"].text()};
    if (node.target.starts_with("torch.ops.")) node.target.erase(0, 10);
    for (size_t i = 0; i < json["inputs"].size(); ++i) {
        const JsonView in = json["inputs"].at(i);
        node.in.emplace_back(in["name"].text(), argument_of(in["arg"]));
    }
    for (size_t i = 0; i < json["outputs"].size(); ++i) node.out.push_back(argument_of(json["outputs"].at(i)));
    for (const Argument& out : node.out)
        if (node.name.empty()) node.name = out.kind == Kind::list && !out.items.empty() ? out.items[0].text : out.text;
    if (json.has("metadata")) read_module(json["metadata"], node);
    stand_for(node);
    return node;
}

std::vector<Argument> arguments_of(const JsonView& json) {
    std::vector<Argument> list;
    for (size_t i = 0; i < json.size(); ++i) list.push_back(argument_of(json.at(i)));
    return list;
}

ProgramGraph graph_of(const JsonView& json) {
    ProgramGraph graph;
    graph.inputs = arguments_of(json["inputs"]);
    graph.outputs = arguments_of(json["outputs"]);
    for (size_t i = 0; i < json["nodes"].size(); ++i) {
        const JsonView node = json["nodes"].at(i);
        graph.nodes.push_back(at_place(fmt::format("node {}", i), [&] { return node_of(node); }));
    }
    json["tensor_values"].each([&](const std::string& name, const JsonView& meta) {
        graph.tensors[name] = at_place(fmt::format("value \"{}\"", escape(name)), [&] { return meta_of(meta); });
    });
    return graph;
}

InputSpec input_spec(const JsonView& json) {
    const std::pair<std::string, JsonView> only = only_member(json);
    const std::string& key = only.first;
    const JsonView& value = only.second;
    const auto owned = [&](InputSpec::Kind kind, std::string_view owner) {
        return InputSpec{kind, value["arg"]["name"].text(), value[owner].text()};
    };
    if (key == "parameter") return owned(InputSpec::Kind::parameter, "parameter_name");
    if (key == "buffer") return owned(InputSpec::Kind::buffer, "buffer_name");
    if (key == "tensor_constant") return owned(InputSpec::Kind::constant, "tensor_constant_name");
    if (key == "constant_input") return {InputSpec::Kind::number, value["name"].text(), {}};
    if (key != "user_input") throw unsupported("an input that is a {}", key);
    const Argument argument = argument_of(value["arg"]);
    const bool named = argument.kind == Kind::tensor || argument.kind == Kind::symbol;
    return {named ? InputSpec::Kind::input : InputSpec::Kind::number, argument.text, {}};
}

OutputSpec output_spec(const JsonView& json) {
    const auto [key, value] = only_member(json);
    if (key == "user_output") return {OutputSpec::Kind::output, argument_of(value["arg"]), {}};
    if (key == "buffer_mutation") return {OutputSpec::Kind::buffer, tensor_of(value["arg"]), value["buffer_name"].text()};
    if (key == "user_input_mutation") return {OutputSpec::Kind::input, tensor_of(value["arg"]), value["user_input_name"].text()};
    throw unsupported("an output that is a {}", key);
}

// torch 2.5 and 2.6 write Infinity and NaN as bare words, which JSON does not have. "": it has none of them.
std::string quoted_words(std::string_view json) {
    std::string text;
    if (json.find("Infinity") == json.npos && json.find("NaN") == json.npos) return text;
    text.reserve(json.size());
    bool inside = false;
    for (size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inside && c == '\\' && i + 1 < json.size()) {
            text.append(json.substr(i++, 2));
            continue;
        }
        inside ^= c == '"';
        const std::string_view rest = json.substr(i);
        const std::string_view word = inside                          ? ""
                                      : rest.starts_with("-Infinity") ? "-Infinity"
                                      : rest.starts_with("Infinity")  ? "Infinity"
                                      : rest.starts_with("NaN")       ? "NaN"
                                                                      : "";
        if (word.empty()) {
            text += c;
            continue;
        }
        text.append("\"").append(word).append("\"");
        i += word.size() - 1;
    }
    return text;
}

void check_version(const JsonView& program, const std::string& torch) {
    const int64_t major = program["schema_version"]["major"].integer();
    if (major != 7 && major != 8)
        throw unsupported("schema version {} of {}; read are 7 and 8 (torch 2.5 to 2.15)", major,
                          torch.empty() ? "PyTorch" : "torch " + torch);
}

}  // namespace

Program read_program(std::string_view text) {
    const std::string quoted = quoted_words(text);
    const Json document = parse_json(quoted.empty() ? text : quoted);
    const JsonView json(document);
    Program program;
    if (json.has("torch_version")) program.torch_version = json["torch_version"].text();
    check_version(json, program.torch_version);
    const JsonView module = json["graph_module"], signature = module["signature"];
    program.graph = graph_of(module["graph"]);
    for (size_t i = 0; i < signature["input_specs"].size(); ++i) program.inputs.push_back(input_spec(signature["input_specs"].at(i)));
    for (size_t i = 0; i < signature["output_specs"].size(); ++i) program.outputs.push_back(output_spec(signature["output_specs"].at(i)));
    if (program.inputs.size() != program.graph.inputs.size() || program.outputs.size() != program.graph.outputs.size())
        throw bad_input("its signature has {} inputs and {} outputs, its graph {} and {}", program.inputs.size(), program.outputs.size(),
                        program.graph.inputs.size(), program.graph.outputs.size());
    program.output_names = output_names(module);
    return program;
}

}  // namespace quern::torch_format
