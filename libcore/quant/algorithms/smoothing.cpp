#include "libcore/quant/algorithms/smoothing.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

// Row k of the weight of a product by factors[k].
void multiply_rows(Graph& graph, NodeId product, const std::vector<double>& factors) {
    const Layer layer = *layer_of(graph, product);
    std::vector<float> weight = to_floats(*graph.constant(layer.weight));
    for (size_t out = 0; out < layer.outs; ++out)
        for (size_t k = 0; k < layer.depth; ++k) {
            float& number = weight[layer.at(out, k)];
            number = static_cast<float>(static_cast<double>(number) * factors[k]);
        }
    replace_weight(graph, layer, weight);
}

}  // namespace

Fold::Fold(const AlgorithmRun& run, ValueId root, size_t channels, bool layers)
    : run_(run), graph_(run.graph), channels_(channels), layers_too_(layers) {
    possible_ = plan(root);
    for (const ValueId id : values_)
        for (const Use& use : graph_.uses(id))
            possible_ = possible_ && (id == root || (use.node != NodeId::none && edges_.contains({use.node, id})));
}

const std::set<ValueId>& Fold::apply(Graph& graph, const std::vector<double>& divisors) const {
    const auto divide = [&](std::vector<float>& numbers) {
        for (size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<float>(static_cast<double>(numbers[i]) / divisors[i % channels_]);
    };
    for (const auto& [node, at] : constants_) {
        std::vector<float> numbers = to_floats(*graph.constant(graph.node(node).in[at]));
        divide(numbers);
        replace_constant(graph, node, at, numbers);
    }
    for (const NodeId node : layers_) {
        const Layer layer = *layer_of(graph, node);
        std::vector<float> weight = to_floats(*graph.constant(layer.weight));
        for (size_t out = 0; out < layer.outs; ++out)
            for (size_t k = 0; k < layer.depth; ++k) {
                float& number = weight[layer.at(out, k)];
                number = static_cast<float>(static_cast<double>(number) / divisors[out]);
            }
        replace_weight(graph, layer, weight);
        if (layer.bias == ValueId::none || layer.bias_node != node) continue;  // an Add divides its own
        std::vector<float> bias = to_floats(*graph.constant(layer.bias));
        divide(bias);
        replace_bias(graph, layer, bias);
    }
    return values_;
}

bool Fold::plan(ValueId id) {
    if (!values_.insert(id).second) return true;
    const Value& value = graph_.value(id);
    if (value.constant() || value.producer == NodeId::none || value.enc) return false;
    const Node& node = graph_.node(value.producer);
    if (node.out[0] != id || graph_.is_output(id)) return false;
    if (const auto layer = layer_of(graph_, value.producer); layer && !layer->convolution && layer->outs == channels_) {
        if (!layers_too_ || graph_.value(layer->weight).enc || !run_.takes(node)) return false;
        layers_.insert(value.producer);
        return true;
    }
    if (node.is(ops::LayerNormalization, ops::RMSNormalization)) return plan_norm(value.producer);
    if (node.is(ops::Add, ops::Sub)) return plan_operand(value.producer, 0) && plan_operand(value.producer, 1);
    if (node.is(ops::Mul)) return either(value.producer);
    const auto bounds = clip_bounds(graph_, node);
    return (bounds && bounds->low == 0 && std::isinf(bounds->high)) && plan_operand(value.producer, 0);
}

bool Fold::plan_norm(NodeId id) {
    const Node& node = graph_.node(id);
    for (size_t at = 1; at < node.in.size(); ++at)
        if (node.in[at] != ValueId::none && !plan_constant(id, at)) return false;
    return true;
}

bool Fold::plan_constant(NodeId id, size_t at) {
    const ValueId constant = graph_.node(id).in[at];
    const Value& value = graph_.value(constant);
    const auto dims = value.type.shape.concrete();
    if (!value.constant() || value.enc || value.type.dtype != DType::f32 || !dims || dims->empty()) return false;
    if (dims->back() != static_cast<int64_t>(channels_) || count_of(*dims) != dims->back()) return false;
    constants_.insert({id, at});
    return true;
}

bool Fold::plan_operand(NodeId id, size_t at) {
    const ValueId operand = graph_.node(id).in[at];
    if (graph_.value(operand).constant()) return plan_constant(id, at);
    edges_.insert({id, operand});
    return plan(operand);
}

// One factor of a product, whichever can be divided; the one that cannot leaves nothing behind.
bool Fold::either(NodeId id) {
    const Fold before = *this;
    for (const size_t at : {size_t{1}, size_t{0}}) {
        if (plan_operand(id, at)) return true;
        values_ = before.values_;
        constants_ = before.constants_;
        layers_ = before.layers_;
        edges_ = before.edges_;
    }
    return false;
}

std::vector<Smoothing> smoothings_of(const AlgorithmRun& run, bool layers) {
    const Graph& graph = run.graph;
    std::vector<Smoothing> found;
    for (const Layer& layer : layers_of(graph)) {
        if (layer.convolution || graph.value(layer.weight).enc) continue;
        if (!found.empty() && std::ranges::any_of(found, [&](const Smoothing& other) { return other.value == layer.input; })) continue;
        Smoothing smoothing{layer.input, {}, layer.depth};
        bool all = true;
        for (const Use& use : graph.uses(layer.input)) {
            all = all && product_to_smooth(run, use, layer.input);
            if (all) smoothing.readers.push_back(use.node);
        }
        if (all && Fold(run, smoothing.value, smoothing.channels, layers).possible()) found.push_back(std::move(smoothing));
    }
    return found;
}

void smooth(AlgorithmRun& run, const Smoothing& smoothing, const std::vector<double>& factors, const Divide& divide) {
    std::vector<double> scale(factors.size());
    std::ranges::transform(factors, scale.begin(), [](double factor) { return 1 / factor; });
    const std::vector<double> none(scale.size(), 0.0);
    for (const ValueId id : divide()) {
        const Value& value = run.graph.value(id);
        change_value(run.changed, value.name, static_cast<int>(value.type.shape.rank()) - 1, scale, none);
    }
    for (const NodeId reader : smoothing.readers) multiply_rows(run.graph, reader, factors);
}

std::optional<Layer> product_to_smooth(const AlgorithmRun& run, const Use& use, ValueId value) {
    if (use.node == NodeId::none) return std::nullopt;
    const auto layer = layer_of(run.graph, use.node);
    const bool fits = layer && !layer->convolution && layer->input == value && !run.graph.value(layer->weight).enc;
    return fits && run.takes(run.graph.node(use.node)) ? layer : std::nullopt;
}

const Scheme* rounding_scheme(const AlgorithmRun& run, NodeId product) {
    const Scheme* scheme = asked_of(run.graph.node(product), "", run.work).scheme;
    return scheme && scheme->activations != Scheme::Activations::float32 ? scheme : nullptr;
}

bool has_output_scales(const QuantWork& work) {
    const Recipe& recipe = recipe_of(*work.request.scheme, work);
    return work.request.scheme->per_row && !work.request.per_tensor && recipe.products_runtime.empty() &&
           recipe.has_channels(*need_op(ops::MatMul), work.request.scheme->weight_symmetric);
}

}  // namespace quern
