#include "libcore/quant/algorithms/layer.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

bool is_vector(const Graph& graph, ValueId id, size_t count) {
    if (id == ValueId::none || !graph.value(id).constant() || graph.value(id).type.dtype != DType::f32) return false;
    const auto dims = graph.value(id).type.shape.concrete();
    return dims && !dims->empty() && count_of(*dims) == static_cast<int64_t>(count) && dims->back() == static_cast<int64_t>(count);
}

// The bias of the product itself; false: it has one that is no constant.
bool find_own_bias(const Graph& graph, const Node& node, Layer& layer) {
    const int at = node.op->quant.bias;
    layer.bias_node = at >= 0 ? layer.node : NodeId::none;
    if (at < 0 || static_cast<size_t>(at) >= node.in.size() || node.in[static_cast<size_t>(at)] == ValueId::none) return true;
    layer.bias = node.in[static_cast<size_t>(at)];
    return is_vector(graph, layer.bias, layer.outs);
}

// A number for each channel of a convolution's results, channels first: [C, 1, 1] or [1, C, 1, 1].
bool is_channels(const Graph& graph, ValueId id, const Layer& layer) {
    const size_t rank = graph.value(layer.output).type.shape.rank();
    if (!layer.convolution || layer.channels_last || rank < 3) return is_vector(graph, id, layer.outs);
    if (id == ValueId::none || !graph.value(id).constant() || graph.value(id).type.dtype != DType::f32) return false;
    const auto dims = graph.value(id).type.shape.concrete();
    const size_t behind = rank - 2;  // dims of space
    return dims && dims->size() > behind && count_of(*dims) == static_cast<int64_t>(layer.outs) &&
           (*dims)[dims->size() - 1 - behind] == static_cast<int64_t>(layer.outs);
}

// An Add of a constant that alone reads the product.
void find_added_bias(const Graph& graph, Layer& layer) {
    const NodeId next = graph.only_reader(layer.output);
    if (next == NodeId::none || !graph.node(next).is(ops::Add)) return;
    const Node& add = graph.node(next);
    const ValueId other = add.in[add.in[0] == layer.output ? 1 : 0];
    if (!is_channels(graph, other, layer)) return;
    layer.bias = other;
    layer.bias_node = next;
    layer.output = add.out[0];
}

Bend bend_behind(const Graph& graph, ValueId output) {
    Bend bend;
    const NodeId next = graph.only_reader(output);
    if (next == NodeId::none) return bend;
    const Node& node = graph.node(next);
    if (node.is(ops::LeakyRelu)) bend.slope = NodeView(node).real("alpha");
    if (const auto bounds = clip_bounds(graph, node); bounds && node.in[0] == output) {
        bend.low = bounds->low;
        bend.high = bounds->high;
    }
    return bend;
}

bool set_matrix(const Graph& graph, const Node& node, const Dims& dims, Layer& layer) {
    if (dims.size() != 2) return false;
    bool transposed = false;
    if (node.is(ops::Gemm)) {
        const NodeView view(node);
        if (view.integer("transA") != 0 || view.real("alpha") != 1 || view.real("beta") != 1) return false;
        transposed = view.integer("transB") != 0;
    }
    layer.outs = static_cast<size_t>(dims[transposed ? 0 : 1]);
    layer.depth = static_cast<size_t>(dims[transposed ? 1 : 0]);
    layer.out_stride = transposed ? layer.depth : 1;
    layer.depth_stride = transposed ? 1 : layer.outs;
    return graph.value(layer.input).type.shape.ranked && graph.value(layer.input).type.shape.rank() >= 2;
}

// [in, outs / groups, taps...] or [in, taps..., outs / groups].
bool set_transposed(const Dims& dims, Layer& layer) {
    const auto each = static_cast<size_t>(layer.channels_last ? dims.back() : dims[1]), ins = static_cast<size_t>(dims[0]);
    layer.transposed = true;
    layer.channel_stride = static_cast<size_t>(count_of(dims)) / ins;
    layer.taps = layer.channel_stride / each;
    layer.outs = each * layer.groups;
    layer.depth = ins / std::max<size_t>(layer.groups, 1) * layer.taps;
    layer.out_stride = layer.channels_last ? 1 : layer.taps;
    layer.depth_stride = layer.channels_last ? each : 1;
    return layer.groups > 0 && ins % layer.groups == 0;
}

bool set_filter(const Node& node, const Dims& dims, Layer& layer) {
    if (dims.size() < 3 || dims.size() > 5) return false;
    layer.convolution = true;
    layer.channels_last = channels_last(NodeView(node));
    layer.groups = static_cast<size_t>(std::max<int64_t>(NodeView(node).integer("group"), 0));
    if (node.is(ops::ConvTranspose)) return set_transposed(dims, layer);
    layer.outs = static_cast<size_t>(dims[0]);
    layer.depth = static_cast<size_t>(count_of(dims)) / std::max<size_t>(layer.outs, 1);
    layer.out_stride = layer.depth;
    layer.depth_stride = 1;
    return layer.groups > 0 && layer.outs % layer.groups == 0;
}

ValueId set_input(Graph& graph, NodeId node, size_t at, const Tensor& tensor, const std::string& name) {
    const ValueId made = graph.add_constant(name, tensor);
    while (graph.node(node).in.size() <= at) graph.node(node).in.push_back(ValueId::none);
    graph.node(node).in[at] = made;
    return made;
}

size_t place_of(const Node& node, ValueId id) {
    return static_cast<size_t>(std::find(node.in.begin(), node.in.end(), id) - node.in.begin());
}

}  // namespace

size_t Layer::channel_of(const Graph& graph, size_t out, size_t k) const {
    if (!convolution) return k;
    const size_t each = in_channels(graph) / groups;
    return group_of(out) * each + (channels_last && !transposed ? k % each : k / (depth / each));
}

size_t Layer::in_channels(const Graph& graph) const {
    if (!convolution) return depth;
    const Dims dims = *graph.value(weight).type.shape.concrete();
    if (transposed) return static_cast<size_t>(dims[0]);
    return static_cast<size_t>(channels_last ? dims.back() : dims[1]) * groups;
}

int Layer::channel_axis(const Graph& graph) const {
    return convolution && !channels_last ? 1 : static_cast<int>(graph.value(input).type.shape.rank()) - 1;
}

std::optional<Layer> layer_of(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const int at = weight_input(graph, node);
    if (at != 1 || !node.is(ops::Conv, ops::ConvTranspose, ops::MatMul, ops::Gemm) || node.in[0] == ValueId::none ||
        graph.value(node.in[0]).constant())
        return std::nullopt;
    Layer layer;
    layer.node = id;
    layer.input = node.in[0];
    layer.weight = node.in[1];
    layer.output = node.out[0];
    const auto dims = graph.value(layer.weight).type.shape.concrete();
    if (!dims || count_of(*dims) == 0) return std::nullopt;
    if (!(node.is(ops::Conv, ops::ConvTranspose) ? set_filter(node, *dims, layer) : set_matrix(graph, node, *dims, layer)))
        return std::nullopt;
    if (!find_own_bias(graph, node, layer)) return std::nullopt;
    if (layer.bias == ValueId::none) find_added_bias(graph, layer);
    layer.bend = bend_behind(graph, layer.output);
    return layer;
}

std::vector<Layer> layers_of(const Graph& graph) {
    std::vector<Layer> layers;
    for (const NodeId id : graph.topo())
        if (auto layer = layer_of(graph, id)) layers.push_back(*layer);
    return layers;
}

bool give_bias(Graph& graph, Layer& layer) {
    if (layer.bias != ValueId::none) return true;
    if (layer.bias_node == NodeId::none) return false;
    const auto at = static_cast<size_t>(graph.node(layer.node).op->quant.bias);
    const std::vector<float> zeros(layer.outs, 0.0f);
    layer.bias = set_input(graph, layer.node, at, Tensor::vector<float>(zeros), graph.node(layer.node).name + "_bias");
    return true;
}

void take_added_bias(Graph& graph, const Layer& layer) {
    if (!layer.convolution || layer.bias == ValueId::none || layer.bias_node == layer.node) return;
    const std::vector<float> numbers = to_floats(*graph.constant(layer.bias));
    const ValueId product = graph.node(layer.node).out[0];
    graph.erase(layer.bias_node);
    graph.node(layer.node).out[0] = layer.output;
    graph.value(layer.output).producer = layer.node;
    graph.value(product).producer = NodeId::none;
    graph.erase(product);
    set_input(graph, layer.node, static_cast<size_t>(graph.node(layer.node).op->quant.bias), Tensor::vector<float>(numbers),
              graph.node(layer.node).name + "_bias");
}

void replace_constant(Graph& graph, NodeId node, size_t at, std::span<const float> numbers) {
    const ValueId id = graph.node(node).in[at];
    const Tensor tensor = Tensor::make<float>(*graph.value(id).type.shape.concrete(), numbers);
    if (graph.uses(id).size() > 1)
        set_input(graph, node, at, tensor, graph.value(id).name + "_own");
    else
        graph.value(id).data = tensor.data;
}

void replace_weight(Graph& graph, const Layer& layer, std::span<const float> numbers) { replace_constant(graph, layer.node, 1, numbers); }

void replace_bias(Graph& graph, const Layer& layer, std::span<const float> numbers) {
    replace_constant(graph, layer.bias_node, place_of(graph.node(layer.bias_node), layer.bias), numbers);
}

}  // namespace quern
