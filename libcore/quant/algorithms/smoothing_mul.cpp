#include "libcore/quant/algorithms/smoothing_mul.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/quant/plan/spell.h"

namespace quern {
namespace {

std::vector<MulSmoothing> candidates(const AlgorithmRun& run, const std::set<ValueId>& judged, SmoothMul muls) {
    const Graph& graph = run.graph;
    std::set<ValueId> met = judged;
    std::vector<MulSmoothing> found;
    for (const Layer& layer : layers_of(graph)) {
        const Value& value = graph.value(layer.input);
        if (layer.convolution || value.constant() || value.type.dtype != DType::f32 || !met.insert(layer.input).second) continue;
        Smoothing smoothing{layer.input, {}, layer.depth};
        for (const Use& use : graph.uses(layer.input))
            if (product_to_smooth(run, use, layer.input) && rounding_scheme(run, use.node)) smoothing.readers.push_back(use.node);
        if (muls == SmoothMul::each)
            for (const NodeId reader : smoothing.readers) found.push_back({{layer.input, {reader}, layer.depth}, false});
        else if (!smoothing.readers.empty())
            found.push_back({std::move(smoothing), false});
    }
    return found;
}

NodeId first_of(const Graph& graph, const std::vector<NodeId>& nodes) {
    return *std::ranges::find_if(graph.order(), [&](NodeId id) { return std::ranges::find(nodes, id) != nodes.end(); });
}

// What the quantizer makes of the graph as it is, and the names of the nodes that it quantizes.
struct Trial {
    explicit Trial(const AlgorithmRun& run) : graph(run.graph) {
        Ranges ranges = run.ranges ? *run.ranges : Ranges();
        QuantWork work = run.work;
        work.measured = false;
        if (run.ranges && needs_spelling(work)) spell_for_runtime(graph, ranges, work);
        for (const NodeReport& node : quantize_graph(graph, run.ranges ? &ranges : nullptr, work, run.pool).nodes)
            if (node.quantized) quantized.insert(node.key);
    }
    Graph graph;
    std::set<std::string> quantized;
};

// Is the value on a grid whatever reads it? An input of the model is if the rule of these says so.
bool is_rounded(const AlgorithmRun& run, const Trial& trial, ValueId value) {
    if (run.graph.value(value).enc) return true;
    const ValueId own = trial.graph.find(run.graph.value(value).name);
    if (own == ValueId::none) return true;
    const NodeId maker = trial.graph.value(own).producer;
    if (maker != NodeId::none) return trial.graph.value(own).enc && trial.quantized.contains(trial.graph.node(maker).name);
    const Rule* io = run.work.request.rules && run.work.request.rules->io ? &*run.work.request.rules->io : nullptr;
    return io && io->scheme && io->scheme->full();
}

}  // namespace

std::vector<MulSmoothing> mul_smoothings_of(const AlgorithmRun& run, const std::set<ValueId>& judged, SmoothMul muls) {
    std::vector<MulSmoothing> found = candidates(run, judged, muls);
    if (found.empty()) return found;
    const Trial trial(run);
    for (MulSmoothing& one : found) {
        std::erase_if(one.smoothing.readers, [&](NodeId reader) { return !trial.quantized.contains(run.graph.node(reader).name); });
        one.rounded = is_rounded(run, trial, one.smoothing.value);
    }
    std::erase_if(found, [](const MulSmoothing& one) { return one.smoothing.readers.empty(); });
    return found;
}

ValueId put_mul(AlgorithmRun& run, const Smoothing& smoothing, const std::vector<double>& factors) {
    Graph& graph = run.graph;
    const std::string name = graph.value(smoothing.value).name;
    const Type type = graph.value(smoothing.value).type;
    std::vector<float> numbers(factors.size());
    std::ranges::transform(factors, numbers.begin(), [](double factor) { return static_cast<float>(1 / factor); });
    const ValueId scale =
        graph.add_constant(name + "_smooth_factors", Tensor::make<float>({static_cast<int64_t>(smoothing.channels)}, numbers));
    const ValueId divided = graph.add_value(graph.unique_name(name + "_smooth"), type);
    const NodeId mul = graph.add_node(need_op(ops::Mul), graph.unique_node_name(name + "_smooth"), {smoothing.value, scale}, {divided}, {},
                                      first_of(graph, smoothing.readers));
    run.dividers->insert(graph.node(mul).name);
    for (const NodeId reader : smoothing.readers)
        for (size_t at = 0; at < graph.node(reader).in.size(); ++at)
            if (graph.node(reader).in[at] == smoothing.value) graph.node(reader).in[at] = divided;
    return divided;
}

}  // namespace quern
