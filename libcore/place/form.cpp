#include "libcore/place/form.h"

#include <set>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/linear.h"
#include "libcore/place/nodes.h"
#include "libcore/place/support.h"
#include "libcore/support/units.h"

namespace quern::place {

using namespace support;  // units

namespace {

// Changes of layout and encoding that a format puts between others: they do not decide where the node goes that they belong to.
bool is_between(const Node& node) { return node.is(ops::Transpose, ops::Reshape, ops::own::Recode); }

// The node whose result `maker` makes codes of, for what stands for both: those are an output as it is stored.
NodeId behind_codes(const Graph& source, NodeId maker, const Node& form) {
    if (maker == NodeId::none || form.is(ops::own::Recode) || !is_quantize(source.node(maker))) return maker;
    const NodeId before = source.value(source.node(maker).in[0]).producer;
    return before == NodeId::none ? maker : before;
}

// The source's node that makes the value of this name; none: the value is new.
NodeId owner_by_name(const Graph& source, const std::string& value, const Node& made) {
    const ValueId same = source.find(value);
    return same == ValueId::none ? NodeId::none : behind_codes(source, source.value(same).producer, made);
}

}  // namespace

Form::Form(const Graph& source, Graph form) : graph(std::move(form)) {
    find_owners(source);
    find_homes(source);
    for (const NodeId id : source.order()) {
        const Node& from = source.node(id);
        for (const NodeId made : deciding(home_[index_of(id)])) {
            std::string& device = graph.node(made).device;
            if (!from.device.empty() && joined_[index_of(id)])
                device = device.empty() || device == from.device ? from.device : std::string(cpu_device);
        }
        for (const NodeId made : stand_in_[index_of(id)]) graph.node(made).scope = from.scope;
        if (const auto made = deciding(id); !made.empty() && graph.find_node(from.name) == NodeId::none)
            graph.rename(made.back(), from.name);
    }
}

// By the value that a node makes; a node whose values are new belongs to its first reader, else to what it reads.
void Form::find_owners(const Graph& source) {
    std::vector<NodeId> owners(graph.node_count(), NodeId::none);  // by node id of the form: the source's node that it stands for
    const std::vector<NodeId> order = graph.topo();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        NodeId& owner = owners[index_of(*it)];
        for (const ValueId out : graph.node(*it).out) {
            if (out == ValueId::none || owner != NodeId::none) continue;
            owner = owner_by_name(source, graph.value(out).name, graph.node(*it));
            for (const Use& use : graph.uses(out))
                if (owner == NodeId::none && use.node != NodeId::none) owner = owners[index_of(use.node)];
        }
    }
    stand_in_.resize(source.node_count());
    for (const NodeId id : order) {
        NodeId& owner = owners[index_of(id)];
        for (const ValueId in : values_read(graph.node(id)))
            if (const NodeId maker = graph.value(in).producer; owner == NodeId::none && maker != NodeId::none)
                owner = owners[index_of(maker)];
        if (owner != NodeId::none) stand_in_[index_of(owner)].push_back(id);
    }
}

void Form::find_homes(const Graph& source) {
    home_.assign(source.node_count(), NodeId::none);
    const std::vector<NodeId> order = source.topo();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        NodeId& home = home_[index_of(*it)];
        if (!stand_in_[index_of(*it)].empty()) home = *it;
        for (const ValueId out : source.node(*it).out)
            if (out != ValueId::none)
                for (const Use& use : source.uses(out))
                    if (home == NodeId::none && use.node != NodeId::none) home = home_[index_of(use.node)];
    }
    for (const NodeId id : order) {
        NodeId& home = home_[index_of(id)];
        for (const ValueId in : values_read(source.node(id)))
            if (const NodeId maker = source.value(in).producer; home == NodeId::none && maker != NodeId::none)
                home = home_[index_of(maker)];
        if (home == NodeId::none) home = id;
    }
    const Units units = units_of(source);
    joined_.resize(source.node_count());
    for (const NodeId id : order) joined_[index_of(id)] = units.of[index_of(id)] == units.of[index_of(home_[index_of(id)])];
}

std::vector<NodeId> Form::deciding(NodeId source) const {
    const std::vector<NodeId>& all = stand_in_[index_of(source)];
    std::vector<NodeId> chosen;
    for (const NodeId id : all)
        if (!is_between(graph.node(id))) chosen.push_back(id);
    return chosen.empty() ? all : chosen;
}

void Form::give_devices(Graph& source, const Target& target) const {
    for (const NodeId id : source.order()) {
        std::set<std::string> devices;
        for (const NodeId made : deciding(home_[index_of(id)])) devices.insert(graph.node(made).device);
        const Device* device = devices.size() == 1 ? find_device(target, *devices.begin()) : nullptr;
        const bool stored = stand_in_[index_of(id)].empty() && (is_quantize(source.node(id)) || is_dequantize(source.node(id)));
        const bool gone = target.compiler_decides && stand_in_[index_of(id)].empty();  // the compiler does not see it
        const bool own = !joined_[index_of(id)] && !stored && !gone;
        if (device && own && device->name != cpu_device && refusal(*device, source, id)) device = nullptr;
        put_on(source.node(id), device ? device->name : std::string(cpu_device));
    }
}

std::string Form::node_named(const Graph& source, const std::string& name) const {
    const NodeId id = source.find_node(name);
    if (id == NodeId::none) return name;
    const std::vector<NodeId> made = deciding(home_[index_of(id)]);
    return made.empty() ? name : graph.node(made.back()).name;
}

}  // namespace quern::place
