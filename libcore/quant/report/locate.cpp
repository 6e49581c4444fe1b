// Where the values of a report are in the graph.
#include <algorithm>
#include <map>

#include "libcore/quant/report/report.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

bool is_recode(const Node& node) { return node.op->name == "Recode"; }

struct Place {
    std::string node;
    int depth = 0;
};

class Places {
   public:
    explicit Places(const Graph& graph) { add(graph, "", 0); }

    const Place* of_value(const std::string& key) const {
        if (const Place* place = find(values_, key)) return place;
        return find(values_, key + "_quantized");  // a weight that is read in other ways, too, has codes of its own
    }
    const Place* of_node(const std::string& key) const { return find(nodes_, key); }

   private:
    static const Place* find(const std::map<std::string, Place>& places, const std::string& key) {
        const auto found = places.find(key);
        return found == places.end() ? nullptr : &found->second;
    }

    // Changes of encoding are no step of the model: they have the place of what they read.
    void add(const Graph& graph, const std::string& path, int first) {
        std::vector<int> depths(graph.value_count(), first);  // of what reads a value
        for (const NodeId id : graph.topo()) {
            const Node& node = graph.node(id);
            int depth = first;
            for (const ValueId value : support::values_read(node)) depth = std::max(depth, depths[index_of(value)]);
            const Place place{path + node.name, depth};
            for (const ValueId out : node.out)
                if (out != ValueId::none) depths[index_of(out)] = is_recode(node) ? depth : depth + 1;
            if (is_recode(node)) continue;
            name(graph, node, path, place);
            for (size_t i = 0; i < node.bodies.size(); ++i) add(node.bodies[i], path + node.name + "/" + node.body_names[i] + "/", depth);
        }
    }

    void name(const Graph& graph, const Node& node, const std::string& path, const Place& place) {
        nodes_[place.node] = place;
        for (const ValueId value : support::values_read(node))
            if (graph.value(value).producer == NodeId::none) values_.try_emplace(path + graph.value(value).name, place);
        for (const ValueId out : node.out)
            if (out != ValueId::none) values_[path + graph.value(out).name] = place;
    }

    std::map<std::string, Place> values_, nodes_;
};

}  // namespace

void locate(const Graph& graph, QuantReport& report) {
    const Places places(graph);
    for (ValueReport& value : report.values)
        if (const Place* place = places.of_value(value.key)) {
            value.node = place->node;
            value.depth = place->depth;
        }
    for (NodeReport& node : report.nodes)
        if (const Place* place = places.of_node(node.key)) node.depth = place->depth;
}

}  // namespace quern
