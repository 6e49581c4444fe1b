// BatchNormalization behind Conv, ConvTranspose or Gemm goes into their weights:
//     w'[c] = w[c] * scale[c] / sqrt(var[c] + eps),  b'[c] = (b[c] - mean[c]) * scale[c] / sqrt(var[c] + eps) + shift[c]
// So does what Keras writes for it: Mul and Add of a number for each channel.
// Weights that are symmetric codes, as those of fake-quantized training, stay on their codes: the scale of each channel takes the factor,
// and the codes of a channel whose factor is negative change their signs.
#include <algorithm>
#include <cmath>
#include <span>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
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

bool all_normal(std::span<const float> numbers) {
    return std::ranges::all_of(numbers, [](float x) { return std::isnormal(x); });
}

// Codes and scales of weights whose channels take a factor; nothing where codes cannot say it.
std::optional<std::pair<Tensor, Encoding>> scaled_codes(const Tensor& codes, const Encoding& e, size_t axis,
                                                        const std::vector<float>& factor) {
    const bool one = e.per_tensor(), plain = e.is_fixed() && !e.format && !e.min.defined() && is_integer(e.storage) && e.block == 0;
    if (!plain || !e.symmetric() || int_range(e.storage).min == 0 || (!one && e.axis != static_cast<int>(axis))) return std::nullopt;
    const auto before = to_floats(e.scale);
    std::vector<float> scales(factor.size());
    for (size_t c = 0; c < factor.size(); ++c) scales[c] = before[one ? 0 : c] * std::abs(factor[c]);
    if (e.scale.dtype != DType::f32 || !all_normal(scales)) return std::nullopt;
    auto items = to_ints(codes);
    size_t inner = 1;
    for (size_t i = axis + 1; i < codes.dims.size(); ++i) inner *= static_cast<size_t>(codes.dims[i]);
    for (size_t i = 0; i < items.size(); ++i) {
        if (factor[i / inner % factor.size()] > 0) continue;
        if (items[i] == int_range(e.storage).min) return std::nullopt;  // there is no code of the other sign
        items[i] = -items[i];
    }
    const Dims dims{static_cast<int64_t>(scales.size())};
    const Encoding made = make_encoding(e.storage, Tensor::make<float>(dims, scales),
                                        from_ints(e.storage, dims, std::vector<int64_t>(scales.size(), 0)), static_cast<int>(axis));
    return std::pair(from_ints(e.storage, codes.dims, items), made.with_limits(e.qmin, e.qmax));
}

// The numbers of a constant, from its codes if it has an encoding.
std::vector<float> numbers_of(const Graph& graph, ValueId id) {
    const Tensor stored = *graph.constant(id);
    const auto& enc = graph.value(id).enc;
    return to_floats(enc ? dequantize(stored, *enc) : stored);
}

bool is_numbers(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    return value.constant() && value.type.dtype == DType::f32 && (!value.enc || (value.enc->is_fixed() && !value.enc->format));
}

// The weights with the factors, as codes if they are; none if they cannot take them.
ValueId add_scaled(Graph& graph, ValueId weight, const std::string& name, size_t axis, const std::vector<float>& factor) {
    const Tensor stored = *graph.constant(weight);
    if (!graph.value(weight).enc) return graph.add_constant(name, scaled(stored, axis, factor));
    const auto made = scaled_codes(stored, *graph.value(weight).enc, axis, factor);
    if (!made) return ValueId::none;
    const ValueId id = graph.add_constant(name, made->first);
    graph.value(id).type = Type::tensor(DType::f32, Shape::of(stored.dims));
    graph.value(id).enc = made->second;
    return id;
}

// What is done to each channel of `between`.
struct Step {
    ValueId between = ValueId::none, last = ValueId::none;  // what the product makes, and what the last node reads
    Affine affine;
};

// The numbers of a constant with one for each channel of data of that shape, and the other operand.
struct ChannelOperand {
    ValueId rest;
    std::vector<float> numbers;
};
std::optional<ChannelOperand> channel_operand(const Graph& graph, const Node& node, size_t rank, size_t channels) {
    if (node.in.size() != 2) return std::nullopt;
    for (const size_t at : {1, 0}) {
        if (!is_plain_constant(graph, node.in[at])) continue;
        const Tensor tensor = *graph.constant(node.in[at]);
        if (tensor.dims.size() > rank || tensor.dims.size() + channels < rank) return std::nullopt;
        const size_t place = tensor.dims.size() + channels - rank;
        if (place >= tensor.dims.size() || tensor.dims[place] != tensor.count()) return std::nullopt;
        return ChannelOperand{node.in[1 - at], to_floats(tensor)};
    }
    return std::nullopt;
}

// Add(Mul(between, factor), offset)
std::optional<Step> spelled_out(const Graph& graph, const Node& sum) {
    const Shape& shape = graph.value(sum.out[0]).type.shape;
    if (!sum.is(ops::Add) || !shape.ranked || shape.rank() < 2) return std::nullopt;
    for (const size_t channels : {shape.rank() - 1, size_t{1}}) {
        const auto offset = channel_operand(graph, sum, shape.rank(), channels);
        const Node* product = offset && graph.uses(offset->rest).size() == 1 ? made_by(graph, offset->rest, ops::Mul) : nullptr;
        const auto factor = product ? channel_operand(graph, *product, shape.rank(), channels) : std::nullopt;
        if (!factor || product->device != sum.device || graph.value(offset->rest).enc || factor->numbers.size() != offset->numbers.size())
            continue;
        const Node* before = graph.value(factor->rest).producer == NodeId::none ? nullptr : &graph.node(graph.value(factor->rest).producer);
        const bool last = before && (before->is(ops::Gemm) || NodeView(*before).text("layout") == "NHWC");
        if (before && channels == (last ? shape.rank() - 1 : 1))
            return Step{factor->rest, offset->rest, {factor->numbers, offset->numbers}};
    }
    return std::nullopt;
}

std::optional<Step> step_of(const Graph& graph, const Node& node) {
    if (!node.is(ops::BatchNormalization)) return spelled_out(graph, node);
    const auto affine = node.out.size() > 1 ? std::nullopt : affine_of(graph, node);
    return affine ? std::optional(Step{node.in[0], node.in[0], *affine}) : std::nullopt;
}

bool fuse(Graph& graph, const Node& norm) {
    const auto step = step_of(graph, norm);
    if (!step) return false;
    const ValueId between = step->between;
    const Affine* const affine = &step->affine;
    if (graph.value(between).producer == NodeId::none) return false;
    const Node& product = graph.node(graph.value(between).producer);
    const auto axis = channel_axis(product);
    const std::string device = product.device.empty() ? norm.device : product.device;
    if (!norm.device.empty() && norm.device != device) return false;  // bound to different devices
    const ValueId weight = input_of(product, 1);
    if (!axis || graph.uses(between).size() != 1 || graph.value(between).enc || weight == ValueId::none || !is_numbers(graph, weight))
        return false;
    const ValueId bias = input_of(product, 2);
    const auto dims = graph.value(weight).type.shape.concrete();
    if (!dims || dims->size() <= *axis || static_cast<size_t>((*dims)[*axis]) != affine->factor.size()) return false;
    std::vector<float> offset(affine->factor.size(), 0.0f);
    if (bias != ValueId::none) {
        if (!is_numbers(graph, bias) || graph.value(bias).type.shape.rank() != 1) return false;
        offset = numbers_of(graph, bias);
        if (offset.size() != affine->factor.size()) return false;
    }
    for (size_t c = 0; c < offset.size(); ++c) offset[c] = offset[c] * affine->factor[c] + affine->offset[c];
    const std::string stem = graph.value(weight).name;
    const ValueId w = add_scaled(graph, weight, stem + "_bn", *axis, affine->factor);
    if (w == ValueId::none) return false;
    const ValueId b = graph.add_constant(stem + "_bn_bias", Tensor::vector<float>(offset));
    const NodeId old = graph.value(between).producer;
    const NodeId fused = take_over(graph, norm.out[0], product.op, {product.in[0], w, b}, product.attrs);
    const std::string name = graph.node(old).name;
    erase_unread(graph, step->last);
    graph.rename(fused, name);
    graph.node(fused).device = device;
    return true;
}

int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && graph.node(id).is(ops::BatchNormalization, ops::Add) && fuse(graph, graph.node(id))) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_batchnorm{"fuse_batchnorm", "fold BatchNormalization into the Conv, ConvTranspose or Gemm before it",
                                    [](Graph& graph) { return on_every_graph(graph, fuse_in); }, 1e-4f};

}  // namespace quern
