#include "formats/onnx/export.h"

#include <algorithm>

#include "formats/onnx/onnx.pb.h"
#include "formats/onnx/versions.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"

namespace quern::onnx_format {
namespace {

constexpr size_t inline_limit = 1024;  // smaller constants are written inside the message

void put_value_info(const std::string& name, const Type& type, onnx::ValueInfo& message) {
    message.set_name(name);
    if (type.kind != Type::Kind::tensor || type.dtype != DType::none) put_type(type, *message.mutable_type());
}

void put_property(const std::string& key, const std::string& text, onnx::Entry& entry) {
    entry.set_key(key);
    entry.set_value(text);
}

}  // namespace

void put_attribute(const std::string& name, const Attr& attr, onnx::Attribute& message) {
    enum Kind { f = 1, i = 2, s = 3, t = 4, floats = 6, ints = 7, strings = 8, tensors = 9, type_proto = 13 };
    message.set_name(name);
    const auto set = [&](Kind kind) { message.set_type(kind); };
    if (const auto* item = std::get_if<float>(&attr)) {
        set(f);
        message.set_f(*item);
    } else if (const auto* number = std::get_if<int64_t>(&attr)) {
        set(i);
        message.set_i(*number);
    } else if (const auto* text = std::get_if<std::string>(&attr)) {
        set(s);
        message.set_s(*text);
    } else if (const auto* tensor = std::get_if<Tensor>(&attr)) {
        set(t);
        put_tensor("", *tensor, *message.mutable_t());
    } else if (const auto* reals = std::get_if<std::vector<float>>(&attr)) {
        set(floats);
        message.mutable_floats()->Add(reals->begin(), reals->end());
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&attr)) {
        set(ints);
        message.mutable_ints()->Add(integers->begin(), integers->end());
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attr)) {
        set(strings);
        for (const std::string& one : *texts) message.add_strings(one);
    } else if (const auto* several = std::get_if<std::vector<Tensor>>(&attr)) {
        set(tensors);
        for (const Tensor& one : *several) put_tensor("", one, *message.add_tensors());
    } else if (const auto* type = std::get_if<Type>(&attr)) {
        set(type_proto);
        put_type(*type, *message.mutable_tp());
    }
}

void Exporter::run(const Graph& graph, onnx::Model& message) {
    Scope scope{.graph = graph, .names = {}};
    put_graph(scope, *message.mutable_graph());
    for (const auto& [domain, version] : imports_) {
        auto* item = message.add_opset_import();
        item->set_domain(domain);
        item->set_version(version);
    }
}

// A name that an enclosing graph uses, too, gets a suffix: ONNX sees all of them at once.
void Exporter::name_values(Scope& scope) {
    const Graph& graph = scope.graph;
    scope.names.resize(graph.value_count());
    for (const Graph::Capture& capture : graph.captures)
        scope.names[index_of(capture.inner)] = scope.parent->names[index_of(capture.outer)];
    std::vector<std::string> added;
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased || !scope.names[i].empty()) continue;
        std::string name = value.name.empty() ? "value" : value.name;
        for (int n = 1; visible_.contains(name); ++n) name = fmt::format("{}_{}", value.name, n);
        visible_[name] = 1;
        scope.names[i] = std::move(name);
    }
}

void Exporter::forget_names(const Scope& scope) {
    std::vector<bool> captured(scope.names.size());
    for (const Graph::Capture& capture : scope.graph.captures) captured[index_of(capture.inner)] = true;
    for (size_t i = 0; i < scope.names.size(); ++i)
        if (!captured[i]) visible_.erase(scope.names[i]);
}

void Exporter::put_constants(const Scope& scope, onnx::Graph& message) {
    for (size_t i = 0; i < scope.graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = scope.graph.value(id);
        if (value.erased || !value.constant()) continue;
        if (first_opset(value.storage()) > opset_)
            throw unsupported("constant \"{}\" is {}, which opset {} does not have", escape(value.name), name_of(value.storage()), opset_);
        const Tensor tensor{value.storage(), value.type.shape.concrete().value(), *value.data};
        if (scope.graph.is_output(id)) {
            // What a node computed is an output; an initializer is not one for every reader.
            onnx::Node& node = *message.add_node();
            node.set_op_type(std::string(ops::Constant.name));
            node.add_output(scope.names[i]);
            onnx::Attribute& attribute = *node.add_attribute();
            put_attribute("value", tensor, attribute);
        } else if (scope.parent || value.storage() == DType::string || value.data->size() <= inline_limit) {
            put_tensor(scope.names[i], tensor, *message.add_initializer());
        } else {
            weights_.push_back({scope.names[i], tensor});
        }
    }
}

void Exporter::put_graph(Scope& scope, onnx::Graph& message) {
    const Graph& graph = scope.graph;
    name_values(scope);
    message.set_name(graph.name.empty() ? "graph" : graph.name);
    for (const ValueId id : graph.inputs) put_value_info(scope.names[index_of(id)], graph.value(id).type, *message.add_input());
    put_constants(scope, message);
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased) continue;
        if (value.enc) throw unsupported("value \"{}\" is encoded as {}", escape(value.name), to_string(*value.enc));
        if (!value.permutation.empty())
            throw unsupported("value \"{}\" is in a moved layout", escape(value.name)).with_hint("move the layout back to NCHW first");
    }
    for (const NodeId id : graph.order()) at_node(graph.node(id), [&] { put_node(scope, id, message); });
    put_outputs(scope, message);
    put_types(scope, message);
    if (scope.parent) forget_names(scope);
}

// The types of values between nodes. Those of changes between numbers and codes follow from what they read, as every reader knows.
void Exporter::put_types(const Scope& scope, onnx::Graph& message) {
    const Graph& graph = scope.graph;
    std::vector<bool> listed(graph.value_count());
    for (const ValueId id : graph.outputs) listed[index_of(id)] = true;
    for (const NodeId id : graph.order()) {
        if (graph.node(id).is(ops::QuantizeLinear, ops::DequantizeLinear)) continue;
        for (const ValueId out : graph.node(id).out)
            if (out != ValueId::none && !listed[index_of(out)] && graph.value(out).type.dtype != DType::none)
                put_value_info(scope.names[index_of(out)], graph.value(out).type, *message.add_value_info());
    }
}

// A body cannot give back a value of the enclosing graph as it is.
void Exporter::put_outputs(Scope& scope, onnx::Graph& message) {
    const Graph& graph = scope.graph;
    for (const ValueId id : graph.outputs) {
        std::string name = scope.names[index_of(id)];
        const bool captured =
            std::any_of(graph.captures.begin(), graph.captures.end(), [&](const auto& capture) { return capture.inner == id; });
        if (captured) {
            onnx::Node& node = *message.add_node();
            node.set_op_type(std::string(ops::Identity.name));
            node.add_input(name);
            const std::string wish = name + "_out";
            name = wish;
            for (int n = 1; visible_.contains(name); ++n) name = fmt::format("{}_{}", wish, n);
            visible_[name] = 1;
            scope.names.push_back(name);  // forgotten with the others
            node.add_output(name);
            node.set_name(name);
        }
        put_value_info(name, graph.value(id).type, *message.add_output());
    }
}

void Exporter::import_domain(const Op& op) {
    if (op.domain.empty()) return;
    if (op.domain == "quern") throw unsupported("is an operator of quern's own, which ONNX does not have");
    const int version = op.version > 0 ? op.version : op.domain == "ai.onnx.ml" ? ml_version(op.name) : 1;
    const auto [found, fresh] = imports_.emplace(std::string(op.domain), version);
    if (op.known()) found->second = std::max(found->second, version);
    if (!fresh && op.version > 0 && found->second != op.version)
        throw unsupported("needs version {} of domain {}, another node version {}", op.version, op.domain, found->second);
}

void Exporter::put_node(const Scope& scope, NodeId id, onnx::Graph& message) {
    const Node& node = scope.graph.node(id);
    if (!node.internal.empty()) throw unsupported("has encoded intermediates, which ONNX cannot say");
    import_domain(*node.op);
    onnx::Node& out = *message.add_node();
    const auto name_of_value = [&](ValueId value) { return value == ValueId::none ? std::string() : scope.names[index_of(value)]; };
    const auto used = [](const std::vector<ValueId>& ids) {
        size_t count = ids.size();
        while (count > 0 && ids[count - 1] == ValueId::none) --count;
        return count;
    };
    for (size_t i = 0; i < used(node.in); ++i) out.add_input(name_of_value(node.in[i]));
    for (size_t i = 0; i < used(node.out); ++i) out.add_output(name_of_value(node.out[i]));
    out.set_name(node.name);
    out.set_op_type(std::string(node.op->name));
    if (!node.op->domain.empty()) out.set_domain(std::string(node.op->domain));
    put_attributes(scope, node, out);
    if (!node.device.empty()) put_property("quern.device", node.device, *out.add_metadata_props());
    if (!node.scope.empty() && node.name.rfind(node.scope, 0) != 0) put_property("quern.scope", node.scope, *out.add_metadata_props());
}

void Exporter::put_attributes(const Scope& scope, const Node& node, onnx::Node& message) {
    for (const auto& [name, attr] : node.attrs) put_attribute(name, attr, *message.add_attribute());
    for (size_t b = 0; b < node.bodies.size(); ++b) {
        onnx::Attribute& attribute = *message.add_attribute();
        attribute.set_name(node.body_names[b]);
        attribute.set_type(5);
        Scope inner{.graph = node.bodies[b], .parent = &scope, .names = {}};
        put_graph(inner, *attribute.mutable_g());
    }
}

}  // namespace quern::onnx_format
