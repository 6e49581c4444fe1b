// BatchNormalization behind Conv, ConvTranspose or Gemm goes into their weights:
//     w'[c] = w[c] * scale[c] / sqrt(var[c] + eps),  b'[c] = (b[c] - mean[c]) * scale[c] / sqrt(var[c] + eps) + shift[c]
#include "libcore/graph/op_ids.h"
#include "libcore/passes/affine.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// The axis of output channels in the weights; for a grouped ConvTranspose it is spread over two.
std::optional<size_t> channel_axis(const Node& node) {
    const NodeView view(node);
    if (node.is(ops::Conv)) return 0;
    if (node.is(ops::ConvTranspose) && view.integer("group") == 1 && view.text("layout") != "NHWC") return 1;
    if (node.is(ops::Gemm) && view.real("alpha") == 1 && view.real("beta") == 1) return view.integer("transB") != 0 ? 0 : 1;
    return std::nullopt;
}

Tensor scaled(const Tensor& weights, size_t axis, const std::vector<float>& factor) {
    auto items = to_floats(weights);
    size_t inner = 1;
    for (size_t i = axis + 1; i < weights.dims.size(); ++i) inner *= static_cast<size_t>(weights.dims[i]);
    for (size_t i = 0; i < items.size(); ++i) items[i] *= factor[i / inner % factor.size()];
    return Tensor::make<float>(weights.dims, items);
}

bool fuse(Graph& graph, const Node& norm) {
    const ValueId between = norm.in[0];
    if (norm.out.size() > 1 || graph.value(between).producer == NodeId::none) return false;
    const Node& product = graph.node(graph.value(between).producer);
    const auto axis = channel_axis(product);
    const std::string device = product.device.empty() ? norm.device : product.device;
    if (!norm.device.empty() && norm.device != device) return false;  // bound to different devices
    if (!axis || graph.uses(between).size() != 1 || graph.value(between).enc || !is_plain_constant(graph, input_of(product, 1)))
        return false;
    const ValueId bias = input_of(product, 2);
    const auto affine = affine_of(graph, norm);
    const Tensor weights = *graph.constant(product.in[1]);
    if (!affine || weights.dims.size() <= *axis || static_cast<size_t>(weights.dims[*axis]) != affine->factor.size()) return false;
    std::vector<float> offset(affine->factor.size(), 0.0f);
    if (bias != ValueId::none) {
        if (!is_plain_constant(graph, bias) || graph.value(bias).type.shape.rank() != 1) return false;
        offset = to_floats(*graph.constant(bias));
        if (offset.size() != affine->factor.size()) return false;
    }
    for (size_t c = 0; c < offset.size(); ++c) offset[c] = offset[c] * affine->factor[c] + affine->offset[c];
    const std::string stem = graph.value(product.in[1]).name;
    const ValueId w = graph.add_constant(stem + "_bn", scaled(weights, *axis, affine->factor));
    const ValueId b = graph.add_constant(stem + "_bn_bias", Tensor::vector<float>(offset));
    const NodeId old = graph.value(between).producer;
    const NodeId fused = take_over(graph, norm.out[0], product.op, {product.in[0], w, b}, product.attrs);
    const std::string name = graph.node(old).name;
    graph.erase(old);
    graph.erase(between);
    graph.rename(fused, name);
    graph.node(fused).device = device;
    return true;
}

int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && graph.node(id).is(ops::BatchNormalization) && fuse(graph, graph.node(id))) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_batchnorm{"fuse_batchnorm", "fold BatchNormalization into the Conv, ConvTranspose or Gemm before it",
                                    [](Graph& graph) { return on_every_graph(graph, fuse_in); }, 1e-4f};

}  // namespace quern
