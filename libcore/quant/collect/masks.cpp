#include "libcore/quant/collect/masks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

bool holds_minus_infinity(const Tensor& tensor) {
    if (!is_float(tensor.dtype) || bits_of(tensor.dtype) < 16) return false;
    const auto values = to_floats(tensor);
    return std::any_of(values.begin(), values.end(), [](float v) { return std::isinf(v) && v < 0; });
}

class Finder {
   public:
    explicit Finder(std::span<const std::string> given) : given_(given.begin(), given.end()) {}

    std::vector<bool> find(const Graph& graph, const std::string& path, const std::vector<bool>& outer) {
        std::vector<bool> masked(graph.value_count(), false);
        for (size_t i = 0; i < masked.size(); ++i) {
            const Value& value = graph.value(static_cast<ValueId>(i));
            if (value.erased) continue;
            masked[i] = given_.contains(path + value.name);
            if (value.constant() && !value.enc && holds_minus_infinity(*graph.constant(static_cast<ValueId>(i)))) masked[i] = true;
        }
        for (const Graph::Capture& capture : graph.captures)
            if (outer[index_of(capture.outer)]) masked[index_of(capture.inner)] = true;
        for (const NodeId id : graph.topo()) pass(graph.node(id), path, masked);
        for (size_t i = 0; i < masked.size(); ++i)
            if (masked[i]) keys.insert(path + graph.value(static_cast<ValueId>(i)).name);
        return masked;
    }

    std::set<std::string> keys;

   private:
    void pass(const Node& node, const std::string& path, std::vector<bool>& masked) {
        const auto mark = [&](ValueId out) {
            if (out != ValueId::none) masked[index_of(out)] = true;
        };
        for (size_t b = 0; b < node.bodies.size(); ++b) {
            const Graph& body = node.bodies[b];
            const auto inside = find(body, path + node.name + "/" + node.body_names[b] + "/", masked);
            for (size_t i = 0; node.is(ops::If) && i < std::min(body.outputs.size(), node.out.size()); ++i)
                if (inside[index_of(body.outputs[i])]) mark(node.out[i]);
        }
        const bool handed_on = hands_numbers_on(*node.op) && std::any_of(node.in.begin(), node.in.end(), [&](ValueId in) {
                                   return in != ValueId::none && masked[index_of(in)];
                               });
        const Tensor* fill = node.is(ops::ConstantOfShape) ? NodeView(node).tensor("value") : nullptr;
        if (!handed_on && !(fill && holds_minus_infinity(*fill))) return;
        for (const ValueId out : node.out) mark(out);
    }

    std::set<std::string> given_;
};

}  // namespace

std::set<std::string> mask_values(const Graph& graph, std::span<const std::string> given) {
    Finder finder(given);
    finder.find(graph, "", {});
    for (const std::string& key : given) {
        if (finder.keys.contains(key)) continue;
        std::vector<std::string> names;
        for_each_graph(graph, [&](const Graph& part, const std::string& path) {
            for (size_t i = 0; i < part.value_count(); ++i)
                if (const Value& value = part.value(static_cast<ValueId>(i)); !value.erased) names.push_back(path + value.name);
        });
        throw usage_error("--masks: the model has no value \"{}\"{}", escape(key), did_you_mean(key, names));
    }
    return std::move(finder.keys);
}

}  // namespace quern
