#include "libcore/place/nodes.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"

namespace quern::place {
namespace {

void collect(Graph& graph, const std::string& path, std::vector<NodeRef>& to) {
    for (const NodeId id : graph.order()) {
        Node& node = graph.node(id);
        for (size_t i = 0; i < node.bodies.size(); ++i) collect(node.bodies[i], path + node.name + "/" + node.body_names[i] + "/", to);
        if (!node.is(ops::Constant)) to.push_back({&graph, id, path + node.name});
    }
}

}  // namespace

void put_on(Node& node, const std::string& device) {
    node.device = device;
    for (Graph& body : node.bodies)
        for (const NodeId inner : body.order()) put_on(body.node(inner), device);
}

std::string NodeRef::type() const {
    const Op& op = *node().op;
    return (op.domain.empty() ? "onnx." : "") + full_name(op);
}

std::vector<NodeRef> placed_nodes(Graph& graph) {
    std::vector<NodeRef> nodes;
    nodes.reserve(graph.order().size());
    collect(graph, {}, nodes);
    std::unordered_map<std::string_view, int> plain;
    plain.reserve(nodes.size());
    for (const NodeRef& ref : nodes) ++plain[ref.node().name];
    const bool unique = plain.size() == nodes.size();
    std::unordered_set<std::string> taken;
    for (NodeRef& ref : nodes) {
        if (plain[ref.node().name] == 1) ref.key = ref.node().name;
        if (unique) continue;
        const std::string wish = ref.key;
        for (int i = 1; !taken.insert(ref.key).second; ++i) ref.key = fmt::format("{}_{}", wish, i);
    }
    return nodes;
}

void check_devices(Graph& graph, const Target& target) {
    for (const NodeRef& ref : placed_nodes(graph)) {
        std::string& name = ref.node().device;
        if (name.empty()) continue;
        const Device* device = find_device(target, name);
        if (!device)
            throw bad_input("node \"{}\" ({}): device \"{}\" is not defined by target {}{}", escape(ref.key), escape(ref.type()),
                            escape(name), target.name, did_you_mean(name, device_names(target)))
                .with_hint(fmt::format("target {} has the devices {}", target.name, join(device_names(target), ", ")));
        name = device->name;
    }
}

}  // namespace quern::place
