#include "formats/tensorflow/file/graph_def.h"

#include "formats/tensorflow/file/dtypes.h"
#include "formats/tensorflow/file/tensor.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

FunctionName read_function_name(const Bytes& message) {
    FunctionName name;
    WireReader reader(message);
    while (const auto field = reader.next())
        if (field->number == 1) name.name = field->text();
    return name;
}

// A type that we do not have matters only where something of that type is read.
DType read_type(int64_t code) {
    try {
        return dtype_of_code(code);
    } catch (const Error& error) {
        if (error.exit() != Exit::unsupported) throw;
        return DType::none;
    }
}

template <class T>
std::vector<T>& list(AttrValue& value) {
    if (!std::holds_alternative<std::vector<T>>(value)) value = std::vector<T>();
    return std::get<std::vector<T>>(value);
}

AttrValue read_list(const Bytes& message) {
    AttrValue value = std::vector<int64_t>();  // also what an empty one of any kind is
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case 2: list<std::string>(value).push_back(field->text()); break;
            case 3:
            case 5: append_integers(*field, list<int64_t>(value)); break;
            case 4: append_reals(*field, list<float>(value)); break;
            case 6: {
                std::vector<int64_t> codes;
                append_integers(*field, codes);
                for (const int64_t code : codes) list<DType>(value).push_back(read_type(code));
                break;
            }
            case 7: list<Shape>(value).push_back(read_shape(field->message())); break;
            case 9: list<FunctionName>(value).push_back(read_function_name(field->message())); break;
            default: break;
        }
    return value;
}

AttrValue read_value(const Bytes& message) {
    AttrValue value;
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case 1: value = read_list(field->message()); break;
            case 2: value = field->text(); break;
            case 3: value = field->integer(); break;
            case 4: value = field->real(); break;
            case 5: value = field->flag(); break;
            case 6: value = read_type(field->integer()); break;
            case 7: value = read_shape(field->message()); break;
            case 8: value = read_stored(field->message()); break;
            case 10: value = read_function_name(field->message()); break;
            default: break;
        }
    return value;
}

void read_attr(const Bytes& entry, Node& node) {
    std::string key;
    Bytes value;
    WireReader reader(entry);
    while (const auto field = reader.next()) {
        if (field->number == 1) key = field->text();
        if (field->number == 2) value = field->message();
    }
    if (key.starts_with('_')) return;  // hints of the runtime
    at_place(fmt::format("attribute \"{}\"", escape(key)), [&] { node.attrs[key] = read_value(value); });
}

Node read_node(const Bytes& message) {
    Node node;
    std::vector<Bytes> attrs;
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case 1: node.name = field->text(); break;
            case 2: node.op = field->text(); break;
            case 3: node.inputs.push_back(field->text()); break;
            case 5: attrs.push_back(field->message()); break;
            default: break;
        }
    at_place(fmt::format("node \"{}\" ({})", escape(node.name), escape(node.op)), [&] {
        if (node.name.empty() || node.op.empty()) throw bad_input("has no name or no operator");
        for (const Bytes& attr : attrs) read_attr(attr, node);
    });
    return node;
}

Argument read_argument(const Bytes& message) {
    Argument argument;
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 1) argument.name = field->text();
        if (field->number != 3) continue;
        argument.dtype = read_type(field->integer());
        argument.resource = is_resource(field->integer());
    }
    return argument;
}

void read_entry(const Bytes& message, std::map<std::string, std::string>& to) {
    std::string key, value;
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 1) key = field->text();
        if (field->number == 2) value = field->text();
    }
    to[key] = value;
}

Function read_function(const Bytes& message) {
    Function function;
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case 1: {
                WireReader signature(field->message());
                while (const auto part = signature.next()) switch (part->number) {
                        case 1: function.name = part->text(); break;
                        case 2: function.inputs.push_back(read_argument(part->message())); break;
                        case 3: function.outputs.push_back(read_argument(part->message())); break;
                        default: break;
                    }
                break;
            }
            case 3: function.nodes.push_back(read_node(field->message())); break;
            case 4: read_entry(field->message(), function.results); break;
            case 6: read_entry(field->message(), function.controls); break;
            default: break;
        }
    return function;
}

}  // namespace

GraphDef read_graph_def(const Bytes& message) {
    GraphDef graph;
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 1) graph.nodes.push_back(read_node(field->message()));
        if (field->number != 2) continue;
        WireReader library(field->message());
        while (const auto part = library.next()) {
            if (part->number != 1) continue;
            Function function = read_function(part->message());
            const std::string name = function.name;
            if (!graph.functions.emplace(name, std::move(function)).second) throw bad_input("function \"{}\" is there twice", escape(name));
        }
    }
    return graph;
}

}  // namespace quern::tensorflow_format
