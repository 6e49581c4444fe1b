// EPContext: contexts as models that onnxruntime's tools know, one node with the file inside or beside it.
#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/deploy/context.h"
#include "libcore/graph/op.h"
#include "libcore/graph/summary.h"
#include "libcore/os/folder.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr std::string_view op_name = "EPContext", op_domain = "com.microsoft", source_name = "quern";

template <class T>
const T* attribute(const Node& node, const std::string& name) {
    const auto found = node.attrs.find(name);
    return found == node.attrs.end() ? nullptr : std::get_if<T>(&found->second);
}

bool is_context_node(const Node& node) { return node.op->name == op_name && node.op->domain == op_domain; }

// The context's node of a model that has no other.
const Node* context_node(const Graph& graph) {
    if (graph.order().size() != 1) return nullptr;
    const Node& node = graph.node(graph.order()[0]);
    return is_context_node(node) ? &node : nullptr;
}

// What lies beside the model.
Bytes file_of(const std::string& name, const std::string& model_path) {
    if (model_path == "-") throw bad_input("its file cannot be found: the model did not come from a file");
    return map_beside(model_path, name);
}

// Names of symbols do not count.
bool same_type(const Type& a, const Type& b) {
    if (a.dtype != b.dtype || a.shape.ranked != b.shape.ranked || a.shape.rank() != b.shape.rank()) return false;
    for (size_t i = 0; i < a.shape.rank(); ++i) {
        const Dim &x = a.shape.dims[i], &y = b.shape.dims[i];
        if (x.known() != y.known() || (x.known() && x.value != y.value)) return false;
    }
    return true;
}

std::string listed(const Graph& graph, const std::vector<ValueId>& ids) {
    std::vector<std::string> texts;
    texts.reserve(ids.size());
    for (const ValueId id : ids) texts.push_back(fmt::format("\"{}\" {}", escape(graph.value(id).name), to_string(graph.value(id).type)));
    return join(texts, ", ");
}

void check_ports(const Graph& model, const std::vector<ValueId>& have, const Graph& context, const std::vector<ValueId>& want) {
    bool same = have.size() == want.size();
    for (size_t i = 0; same && i < have.size(); ++i) {
        const Value &a = model.value(have[i]), &b = context.value(want[i]);
        same = a.name == b.name && same_type(a.type, b.type);
    }
    if (!same) throw bad_input("its context is another's: that has {}, the model {}", listed(context, want), listed(model, have));
}

}  // namespace

Model wrap_context(const ContextGraph& graph, std::string_view payload, bool embed) {
    Model model;
    model.lineage = graph.lineage;
    std::vector<ValueId> in, out;
    const auto copied = [&](ValueId id) {
        const Value& value = graph.values.value(id);
        return model.graph.add_value(value.name, value.type);
    };
    for (const ValueId id : graph.values.inputs) in.push_back(copied(id));
    for (const ValueId id : graph.values.outputs) {
        if (model.graph.find(graph.values.value(id).name) != ValueId::none)
            throw unsupported("output \"{}\" is an input or another output, too: EPContext cannot say that",
                              escape(graph.values.value(id).name));
        out.push_back(copied(id));
    }
    Attrs attrs;
    attrs["main_context"] = int64_t{1};
    attrs["embed_mode"] = int64_t{embed ? 1 : 0};
    attrs["ep_cache_context"] = std::string(payload);
    attrs["ep_sdk_version"] = std::string(QUERN_VERSION);
    attrs["partition_name"] = graph.name;
    attrs["source"] = std::string(source_name);
    model.graph.add_node(unknown_op(op_name, op_domain, 1), "quern_context", in, out, std::move(attrs));
    model.graph.inputs = in;
    model.graph.outputs = out;
    return model;
}

Bytes unwrap_context(const Graph& graph, const std::string& model_path) {
    const Node* found = context_node(graph);
    if (!found) return {};
    const Node& node = *found;
    return at_node(node, [&] {
        const auto* source = attribute<std::string>(node, "source");
        if (!source || *source != source_name)
            throw unsupported("is for \"{}\": quern runs only contexts of its own", source ? escape(*source) : "")
                .with_hint("--backend ort:qnn,soc=N hands one of QNN's to onnxruntime: docs/providers.md");
        const auto* payload = attribute<std::string>(node, "ep_cache_context");
        const auto* embed = attribute<int64_t>(node, "embed_mode");
        if (!payload) throw bad_input("has no ep_cache_context");
        if (embed && *embed != 0 && *embed != 1) throw bad_input("its embed_mode is {}, need 0 or 1", *embed);
        if (!embed || *embed != 0) return Bytes::copy(payload->data(), payload->size());
        return file_of(*payload, model_path);
    });
}

bool embed_others_contexts(Graph& graph, const std::string& model_path) {
    if (!holds_others_context(graph)) return false;
    for (const NodeId id : graph.order()) {
        Node& node = graph.node(id);
        if (!is_context_node(node)) continue;
        const auto* payload = attribute<std::string>(node, "ep_cache_context");
        const auto *embed = attribute<int64_t>(node, "embed_mode"), *main = attribute<int64_t>(node, "main_context");
        if (!payload || !embed || *embed != 0 || (main && *main == 0)) continue;  // main_context 0: in another node's
        at_node(node, [&] {
            const Bytes file = file_of(*payload, model_path);
            node.attrs["ep_cache_context"] = std::string(file.text());
            node.attrs["embed_mode"] = int64_t{1};
        });
    }
    return true;
}

std::vector<HeldContext> held_contexts(const Graph& graph) {
    std::vector<HeldContext> out;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!is_context_node(node)) continue;
        HeldContext& held = out.emplace_back();
        held.node = node.name;
        if (const auto* source = attribute<std::string>(node, "source")) held.source = *source;
        if (const auto* partition = attribute<std::string>(node, "partition_name")) held.partition = *partition;
        const auto* embed = attribute<int64_t>(node, "embed_mode");
        const auto* payload = attribute<std::string>(node, "ep_cache_context");
        if (payload && embed && *embed == 0)
            held.file = *payload;
        else if (payload)
            held.bytes = payload->size();
    }
    return out;
}

bool holds_others_context(const Graph& graph) {
    return std::ranges::any_of(held_contexts(graph), [](const HeldContext& held) { return held.source != source_name; });
}

const ContextGraph& wrapped_graph(const Graph& graph, const Context& context) {
    const Node* node = context_node(graph);
    const auto* name = node ? attribute<std::string>(*node, "partition_name") : nullptr;
    const ContextGraph& found = context.graph(name ? *name : "");
    if (node)
        at_node(*node, [&] {
            check_ports(graph, graph.inputs, found.values, found.values.inputs);
            check_ports(graph, graph.outputs, found.values, found.values.outputs);
        });
    return found;
}

}  // namespace quern
