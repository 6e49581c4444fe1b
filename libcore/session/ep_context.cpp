// EPContext: contexts as models that onnxruntime's tools know, one node with the file inside or beside it.
#include <filesystem>

#include "libcore/base/folder.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/passes/shared.h"
#include "libcore/session/context.h"

namespace quern {
namespace {

constexpr std::string_view op_name = "EPContext", op_domain = "com.microsoft", source_name = "quern";

template <class T>
const T* attribute(const Node& node, const std::string& name) {
    const auto found = node.attrs.find(name);
    return found == node.attrs.end() ? nullptr : std::get_if<T>(&found->second);
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
    if (graph.order().size() != 1) return {};
    const Node& node = graph.node(graph.order()[0]);
    if (node.op->name != op_name || node.op->domain != op_domain) return {};
    return at_place(fmt::format("node \"{}\" (EPContext)", escape(node.name)), [&] {
        const auto* source = attribute<std::string>(node, "source");
        if (!source || *source != source_name)
            throw unsupported("is for \"{}\": quern runs only contexts of its own", source ? escape(*source) : "");
        const auto* payload = attribute<std::string>(node, "ep_cache_context");
        const auto* embed = attribute<int64_t>(node, "embed_mode");
        if (!payload) throw bad_input("has no ep_cache_context");
        if (!embed || *embed != 0) return Bytes::copy(payload->data(), payload->size());
        if (model_path == "-") throw bad_input("its file cannot be found: the model did not come from a file");
        return map_input(path_inside(std::filesystem::path(model_path).parent_path().string(), *payload));
    });
}

}  // namespace quern
