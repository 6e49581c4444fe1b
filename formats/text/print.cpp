// Graph to text.
#include <fmt/format.h>

#include <set>

#include "formats/text/print_attr.h"
#include "formats/text/syntax.h"
#include "formats/text/text.h"

namespace quern {
namespace {

using namespace text;

class Printer {
   public:
    Printer(const TextOptions& options, const TextSink& sink) : sink_(sink), attrs_(options, sink) {}
    void function(const Graph& graph, const std::string& indent);

   private:
    void arguments(const Graph& graph);
    void constants(const Graph& graph, const std::string& indent);
    void captures(const Graph& graph, const Graph& outer, const std::string& indent);
    void node(const Graph& graph, const Node& node, const std::string& indent);
    void regions(const Graph& graph, const Node& node, const std::string& indent);
    void body(const Graph& graph, const std::string& indent, std::string_view terminator);
    std::string operands(const Graph& graph, std::span<const ValueId> ids) const;
    std::string types(const Graph& graph, std::span<const ValueId> ids) const;
    std::string absent_name();

    const TextSink& sink_;
    AttrPrinter attrs_;
    std::set<std::string, std::less<>> taken_;  // names of every value, so that absent ones get others
    std::string absent_;
    int absent_count_ = 0;
};

bool same_as_outer(const Value& inner, const Value& outer) {
    return inner.name == outer.name && inner.type == outer.type && !inner.enc && inner.permutation.empty();
}

std::string Printer::absent_name() {
    for (;;) {
        std::string name = absent_count_ ? fmt::format("none_{}", absent_count_) : "none";
        ++absent_count_;
        if (!taken_.contains(name)) return name;
    }
}

std::string Printer::operands(const Graph& graph, std::span<const ValueId> ids) const {
    std::string out;
    for (const ValueId id : ids) out += (out.empty() ? "" : ", ") + value_name(id == ValueId::none ? absent_ : graph.value(id).name);
    return out;
}

std::string Printer::types(const Graph& graph, std::span<const ValueId> ids) const {
    std::string out;
    for (const ValueId id : ids) out += (out.empty() ? "" : ", ") + (id == ValueId::none ? "none" : type_text(graph.value(id).type));
    return out;
}

void Printer::arguments(const Graph& graph) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
        const Value& value = graph.value(graph.inputs[i]);
        sink_((i ? ", " : "") + value_name(value.name) + ": " + type_text(value.type));
        AttrTexts attrs;
        attrs_.value_attrs(graph, {&graph.inputs[i], 1}, attrs);
        if (const auto tensor = graph.constant(graph.inputs[i])) attrs[std::string(attr_default)] = attrs_.tensor_text(*tensor);
        if (!attrs.empty()) sink_(" " + braces(attrs));
    }
}

void Printer::constants(const Graph& graph, const std::string& indent) {
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph.value(id);
        if (value.erased || !value.constant() || graph.is_input(id)) continue;
        sink_(indent + value_name(value.name) + " = \"" + std::string(op_constant) + "\"() {");
        AttrTexts extra;
        attrs_.value_attrs(graph, {&id, 1}, extra);
        for (const auto& [name, text] : extra) sink_(fmt::format("{} = {}, ", name, text));
        sink_("value = ");
        attrs_.tensor(*graph.constant(id));
        sink_("} : () -> " + type_text(value.type) + "\n");
    }
}

void Printer::captures(const Graph& graph, const Graph& outer, const std::string& indent) {
    for (const Graph::Capture& capture : graph.captures) {
        const Value &inner = graph.value(capture.inner), &source = outer.value(capture.outer);
        if (same_as_outer(inner, source)) continue;
        AttrTexts attrs;
        attrs_.value_attrs(graph, {&capture.inner, 1}, attrs);
        sink_(fmt::format("{}{} = \"{}\"({}){} : ({}) -> {}\n", indent, value_name(inner.name), op_capture, value_name(source.name),
                          attrs.empty() ? "" : " " + braces(attrs), type_text(source.type), type_text(inner.type)));
    }
}

void Printer::regions(const Graph& graph, const Node& node, const std::string& indent) {
    sink_(" (");
    for (size_t i = 0; i < node.bodies.size(); ++i) {
        const Graph& inner = node.bodies[i];
        sink_(i ? ", {\n" : "{\n");
        if (!inner.inputs.empty() || !inner.name.empty()) {
            sink_(indent + "^" + (inner.name.empty() ? "bb0" : is_bare(inner.name) ? inner.name : quoted(inner.name)) + "(");
            arguments(inner);
            sink_("):\n");
        }
        captures(inner, graph, indent + "  ");
        body(inner, indent + "  ", "onnx.Yield");
        sink_(indent + "}");
    }
    sink_(")");
}

void Printer::node(const Graph& graph, const Node& node, const std::string& indent) {
    std::string results;
    for (const ValueId id : node.out)
        results += (results.empty() ? "" : ", ") + value_name(id == ValueId::none ? absent_name() : graph.value(id).name);
    sink_(indent + results + (results.empty() ? "" : " = ") + quoted(op_name(*node.op)) + "(" + operands(graph, node.in) + ")");
    if (!node.bodies.empty()) regions(graph, node, indent);
    const AttrTexts attrs = attrs_.node_attrs(graph, node);
    if (!attrs.empty()) sink_(" " + braces(attrs));
    const std::string out = types(graph, node.out);
    sink_(" : (" + types(graph, node.in) + ") -> " + (node.out.size() == 1 ? out : "(" + out + ")") + "\n");
}

void Printer::body(const Graph& graph, const std::string& indent, std::string_view terminator) {
    constants(graph, indent);
    for (const NodeId id : graph.order()) node(graph, graph.node(id), indent);
    sink_(indent + std::string(terminator));
    if (!graph.outputs.empty()) sink_(" " + operands(graph, graph.outputs) + " : " + types(graph, graph.outputs));
    sink_("\n");
}

void Printer::function(const Graph& graph, const std::string& indent) {
    bool absent = false;
    for_each_graph(graph, [&](const Graph& g, const std::string&) {
        for (size_t i = 0; i < g.value_count(); ++i)
            if (!g.value(static_cast<ValueId>(i)).erased) taken_.insert(g.value(static_cast<ValueId>(i)).name);
        for (const NodeId id : g.order())
            for (const ValueId in : g.node(id).in) absent |= in == ValueId::none;
    });
    sink_(indent + "func.func @" + (is_bare(graph.name) ? graph.name : graph.name.empty() ? "main" : quoted(graph.name)) + "(");
    arguments(graph);
    sink_(")");
    if (!graph.outputs.empty()) sink_(" -> (" + types(graph, graph.outputs) + ")");
    sink_(" {\n");
    if (absent) {
        absent_ = absent_name();
        sink_(fmt::format("{}  {} = \"{}\"() : () -> none\n", indent, value_name(absent_), op_absent));
    }
    body(graph, indent + "  ", "onnx.Return");
    sink_(indent + "}\n");
}

std::string text_map(const std::map<std::string, std::string>& items) {
    AttrTexts texts;
    for (const auto& [key, value] : items) texts[key] = quoted(value);
    return braces(texts);
}

}  // namespace

void print_text(const Model& model, const TextOptions& options, const TextSink& sink) {
    AttrTexts attrs;
    if (!model.facts.empty()) attrs["quern.facts"] = text_map(model.facts);
    if (!model.lineage.empty()) attrs["quern.lineage"] = quoted(model.lineage.text());
    if (!model.graph.metadata.empty()) attrs["quern.metadata"] = text_map(model.graph.metadata);
    if (attrs.empty()) return Printer(options, sink).function(model.graph, "");
    sink("module attributes " + braces(attrs) + " {\n");
    Printer(options, sink).function(model.graph, "  ");
    sink("}\n");
}

std::string print_text(const Graph& graph, const TextOptions& options) {
    std::string out;
    const TextSink sink = [&](std::string_view part) { out += part; };
    Printer(options, sink).function(graph, "");
    return out;
}

}  // namespace quern
