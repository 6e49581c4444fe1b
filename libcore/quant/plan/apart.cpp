#include "libcore/quant/plan/apart.h"

#include <set>

#include "libcore/graph/op_ids.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

// Quantized with one scale, and not a constant.
bool is_quantized(const Graph& graph, ValueId id) {
    return id != ValueId::none && !graph.value(id).constant() && graph.value(id).enc && graph.value(id).enc->plain_integer();
}

class Apart {
   public:
    Apart(Graph& graph, const Recipe& recipe) : graph_(graph), recipe_(recipe) {}

    void run(NodeId id) {
        const Node& node = graph_.node(id);
        if (!meets_only_quantized(node) || !would_be_wrong(node)) return;
        for (size_t i = 0; i < node.in.size(); ++i)
            if (is_quantized(graph_, node.in[i])) return put_clip(id, i);
    }

   private:
    // All that it reads but constants, and all that it makes.
    bool meets_only_quantized(const Node& node) const {
        const auto read = [&](ValueId in) { return in == ValueId::none || graph_.value(in).constant() || is_quantized(graph_, in); };
        const auto made = [&](ValueId out) { return out == ValueId::none || is_quantized(graph_, out); };
        return std::ranges::all_of(node.in, read) && std::ranges::all_of(node.out, made) && !node.out.empty() &&
               node.out[0] != ValueId::none;
    }

    bool would_be_wrong(const Node& node) const {
        const Encoding& made = *graph_.value(node.out[0]).enc;
        if (!recipe_.coarse_on(graph_, node, made.storage).empty()) return true;
        const FixedResult* fixed = recipe_.fixed_as(*node.op, made.storage);
        return fixed && (to_floats(made.scale)[0] != fixed->scale || made.zero_at() != fixed->zero);
    }

    void put_clip(NodeId id, size_t input) {
        const ValueId x = graph_.node(id).in[input];
        const Encoding& e = *graph_.value(x).enc;
        const auto bound = [&](std::string_view what, int64_t quantized) {
            const float number = static_cast<float>(quantized - e.zero_at()) * to_floats(e.scale)[0];
            return graph_.add_constant(graph_.unique_name(fmt::format("{}/{}", graph_.node(id).name, what)), Tensor::scalar(number));
        };
        const std::string name = graph_.node(id).name + "/apart";
        const ValueId low = bound("low", e.qmin), top = bound("top", e.qmax);
        const ValueId clipped = graph_.add_value(graph_.unique_name(name), graph_.value(x).type);
        const NodeId clip = graph_.add_node(need_op(ops::Clip), graph_.unique_node_name(name), {x, low, top}, {clipped}, {}, id);
        graph_.node(clip).scope = graph_.node(id).scope;
        graph_.node(clip).device = graph_.node(id).device;
        graph_.node(id).in[input] = clipped;
    }

    Graph& graph_;
    const Recipe& recipe_;
};

}  // namespace

void keep_apart(Graph& graph, const QuantReport& report, const QuantWork& work) {
    const Recipe& recipe = recipe_of(*work.request.scheme, work);
    if (!recipe.joins_quantized) return;
    std::set<std::string> floats;
    for (const NodeReport& node : report.nodes)
        if (!node.quantized || !node.reason.empty()) floats.insert(node.key);  // with weights that are quantized, too
    for_each_graph(graph, [&](Graph& part, const std::string& path) {
        Apart apart(part, recipe);
        for (const NodeId id : std::vector<NodeId>(part.order()))
            if (floats.contains(path + part.node(id).name)) apart.run(id);
    });
}

}  // namespace quern
