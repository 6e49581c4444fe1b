// Attributes of nodes: from messages, with the bodies of control flow and the values of Constant.
#include "formats/onnx/import.h"
#include "formats/onnx/onnx.pb.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"

namespace quern::onnx_format {
namespace {

enum Kind { f = 1, i = 2, s = 3, t = 4, g = 5, floats = 6, ints = 7, strings = 8, tensors = 9, graphs = 10, sparse = 11, type_proto = 13 };

// Old files do not say the kind: it is the field that is there.
int kind_of(const onnx::Attribute& message) {
    if (message.type() != 0) return message.type();
    if (message.has_f()) return f;
    if (message.has_i()) return i;
    if (message.has_s()) return s;
    if (message.has_t()) return t;
    if (message.has_g()) return g;
    if (message.floats_size() > 0) return floats;
    if (message.ints_size() > 0) return ints;
    if (message.strings_size() > 0) return strings;
    if (message.tensors_size() > 0) return tensors;
    if (message.has_sparse_tensor()) return sparse;
    if (message.has_tp()) return type_proto;
    throw bad_input("has no value");
}

Attr attribute_from(const onnx::Attribute& message, TensorSource& source) {
    switch (kind_of(message)) {
        case f: return message.f();
        case i: return message.i();
        case s: return message.s();
        case t: return aligned(source.read(message.t()));
        case floats: return std::vector<float>(message.floats().begin(), message.floats().end());
        case ints: return std::vector<int64_t>(message.ints().begin(), message.ints().end());
        case strings: return std::vector<std::string>(message.strings().begin(), message.strings().end());
        case tensors: {
            std::vector<Tensor> all;
            for (const auto& tensor : message.tensors()) all.push_back(aligned(source.read(tensor)));
            return all;
        }
        case sparse: return source.read(message.sparse_tensor());
        case type_proto: return type_from(message.tp());
        default: throw unsupported("is of kind {}", message.type());
    }
}

// The tensor that a Constant node stands for.
Tensor constant_from(const std::string& name, const Attr& attr) {
    if (const auto* tensor = std::get_if<Tensor>(&attr)) return *tensor;
    if (const auto* number = std::get_if<float>(&attr)) return Tensor::scalar(*number);
    if (const auto* number = std::get_if<int64_t>(&attr)) return Tensor::scalar(*number);
    if (const auto* text = std::get_if<std::string>(&attr)) return Tensor::strings({}, std::span(text, 1));
    if (const auto* items = std::get_if<std::vector<float>>(&attr)) return Tensor::vector<float>(*items);
    if (const auto* items = std::get_if<std::vector<int64_t>>(&attr)) return Tensor::vector<int64_t>(*items);
    if (const auto* items = std::get_if<std::vector<std::string>>(&attr))
        return Tensor::strings({static_cast<int64_t>(items->size())}, *items);
    throw bad_input("attribute \"{}\" cannot be a constant", escape(name));
}

}  // namespace

bool Importer::import_constant_node(const onnx::Node& message, Scope& scope, ValueId out) {
    for (const auto& attribute : message.attribute()) {
        const onnx::Attribute* real = argument(attribute, scope);
        if (!real || (attribute.name().rfind("value", 0) != 0 && attribute.name() != "sparse_value")) continue;
        // A tensor stays where it is in the file; Graph::constant() aligns it.
        const Tensor tensor = real->has_t() ? tensors_.read(real->t()) : constant_from(attribute.name(), attribute_from(*real, tensors_));
        Value& value = scope.graph.value(out);
        value.type = Type::tensor(tensor.dtype, Shape::of(tensor.dims));
        value.data = tensor.data;
        return true;
    }
    throw bad_input("has no value");
}

// What the writer keeps of a node that ONNX has no field for.
void Importer::put_properties(const onnx::Node& message, Node& node) {
    for (const auto& entry : message.metadata_props()) {
        if (!is_utf8(entry.value())) continue;
        if (entry.key() == "quern.device") node.device = entry.value();
        if (entry.key() == "quern.scope") node.scope = entry.value();
    }
}

void Importer::put_attributes(const onnx::Node& message, Scope& scope, Graph& graph, NodeId id) {
    for (const auto& attribute : message.attribute()) {
        const onnx::Attribute* real = argument(attribute, scope);
        if (!real) continue;  // the call leaves it out: the default holds
        at_place(fmt::format("attribute \"{}\"", escape(attribute.name())), [&] {
            if (attribute.name().empty() || !is_plain(attribute.name())) throw bad_input("has no proper name");
            if (kind_of(*real) == graphs) throw unsupported("is a list of graphs");
            if (kind_of(*real) != g) {
                graph.node(id).attrs.insert_or_assign(attribute.name(), attribute_from(*real, tensors_));
                return;
            }
            Scope inner{.graph = graph.add_body(id, attribute.name()), .parent = &scope, .opsets = scope.opsets, .depth = scope.depth + 1};
            import_graph(real->g(), inner);
        });
    }
}

}  // namespace quern::onnx_format
