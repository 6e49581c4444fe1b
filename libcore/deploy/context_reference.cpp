#include "libcore/deploy/context_reference.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/exec/meaning.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/pipelines.h"

namespace quern {
namespace {

Error another(std::string_view name) { return bad_input("has no \"{}\" of the context: it was made of another model", escape(name)); }

std::vector<ValueId> values_named(const Graph& graph, const std::vector<std::string>& names) {
    std::vector<ValueId> out;
    for (const std::string& name : names) {
        out.push_back(graph.find(name));
        if (out.back() == ValueId::none) throw another(name);
    }
    return out;
}

}  // namespace

ContextReference::ContextReference(const Model& model, const ContextGraph& graph)
    : graph_(graph.mode == Mode::floating ? as_encoded(model.graph) : as_folded(model.graph)) {
    if (const std::string own = model.lineage.text(); !graph.lineage.empty() && own != graph.lineage)
        throw bad_input("the context was made of another model (lineage {}, this one is {})", graph.lineage, own);
    options_ = {.mode = graph.mode, .reference = true, .profile = own_profile(graph.values)};
    if (!options_.profile) options_.profile = own_profile(graph_);
}

// The nodes between the part's inputs and its outputs.
place::Partition ContextReference::partition_of(const ContextPart& part) const {
    place::Partition out;
    out.inputs = values_named(graph_, part.inputs);
    out.outputs = values_named(graph_, part.outputs);
    const std::set<ValueId> given(out.inputs.begin(), out.inputs.end());
    std::set<NodeId> nodes;
    std::vector<ValueId> open = out.outputs;
    while (!open.empty()) {
        const ValueId id = open.back();
        open.pop_back();
        if (id == ValueId::none || given.contains(id) || graph_.value(id).constant()) continue;
        const NodeId maker = graph_.value(id).producer;
        if (maker == NodeId::none) throw another(graph_.value(id).name);
        if (!nodes.insert(maker).second) continue;
        const Node& node = graph_.node(maker);
        open.insert(open.end(), node.in.begin(), node.in.end());
        for (const Graph& body : node.bodies)
            for (const Graph::Capture& capture : body.captures) open.push_back(capture.outer);
    }
    for (const NodeId id : graph_.order())
        if (nodes.contains(id)) out.nodes.push_back(id);
    return out;
}

std::shared_ptr<Executable> ContextReference::part(const ContextPart& part) const {
    const auto ref = Backend::open("ref");
    return ref->load(ref->compile(place::extract_partition(graph_, partition_of(part)), options_));
}

}  // namespace quern
