#include "formats/tensorflow/map/evaluated.h"

#include <algorithm>
#include <map>

#include "libcore/graph/op.h"
#include "libcore/ops/shared/eval_node.h"

namespace quern::tensorflow_format {
namespace {

constexpr int node_limit = 64;
constexpr uint64_t byte_limit = 64 << 10;

class Evaluation {
   public:
    explicit Evaluation(const Graph& graph) : graph_(graph) {}

    std::optional<Tensor> of(ValueId id) {
        if (auto tensor = graph_.constant(id)) return tensor->data.size() <= byte_limit ? tensor : std::nullopt;
        const NodeId producer = graph_.value(id).producer;
        if (producer == NodeId::none || graph_.value(id).enc) return std::nullopt;
        const quern::Node& node = graph_.node(producer);
        if (!made_.contains(producer) && !make(producer, node)) return std::nullopt;
        const auto at = std::ranges::find(node.out, id);
        return made_[producer][static_cast<size_t>(at - node.out.begin())];
    }

   private:
    bool make(NodeId id, const quern::Node& node) {
        if (!node.op->eval || !node.bodies.empty() || has(node.op->traits, Trait::random) || has(node.op->traits, Trait::control_flow) ||
            ++count_ > node_limit)
            return false;
        std::vector<Tensor> in;
        for (const ValueId operand : node.in) {
            const auto tensor = operand == ValueId::none ? std::optional(Tensor{}) : of(operand);
            if (!tensor) return false;
            in.push_back(*tensor);
        }
        try {
            made_[id] = eval_small(node, in, byte_limit);
        } catch (const Error&) {  // the run will say so
            return false;
        }
        return true;
    }

    const Graph& graph_;
    std::map<NodeId, std::vector<Tensor>> made_;
    int count_ = 0;
};

}  // namespace

std::optional<Tensor> evaluated(const Graph& graph, ValueId id) { return Evaluation(graph).of(id); }

}  // namespace quern::tensorflow_format
