#include "libcore/ops/shared/work.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/output_size.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// Empty dims count as one: operators loop over the others all the same.
double spread(const Dims& dims) {
    double count = 1;
    for (const int64_t length : dims) count *= static_cast<double>(std::max<int64_t>(1, length));
    return count;
}

struct Sizes {
    std::vector<Dims> in, out;
    double read = 0, made = 0;             // elements of the inputs and outputs
    double letters = 0;                    // of the longest string that may be made
    bool strings = false, settled = true;  // settled: inference tells all outputs
    double all() const { return read + made; }
};

double longest(const Tensor& strings) {
    size_t max = 0;
    for (size_t i = 0; i < static_cast<size_t>(strings.count()); ++i) max = std::max(max, string_at(strings, i).size());
    return static_cast<double>(max);
}

Sizes sizes_of(const Node& node, std::span<const Tensor> inputs, uint64_t unknown) {
    Sizes sizes;
    std::vector<const Tensor*> given;
    std::vector<Type> types;
    for (const Tensor& input : inputs) {
        given.push_back(input.defined() ? &input : nullptr);
        types.push_back(Type::tensor(input.dtype, Shape::of(input.dims)));
        sizes.in.push_back(input.dims);
        if (!input.defined()) continue;
        sizes.read += spread(input.dims);
        if (input.dtype != DType::string) continue;
        sizes.strings = true;
        sizes.letters += longest(input);
    }
    for (const Type& type : foreseen_outputs(node, given, types)) {
        const auto dims = type.kind == Type::Kind::tensor ? type.shape.concrete() : std::nullopt;
        sizes.out.push_back(dims.value_or(Dims{}));
        sizes.made += dims ? spread(*dims) : static_cast<double>(unknown);
        sizes.strings |= type.dtype == DType::string;
        sizes.settled = sizes.settled && dims.has_value();
    }
    if (sizes.out.empty()) {  // what inference refuses
        sizes.made = static_cast<double>(unknown);
        sizes.settled = false;
    }
    return sizes;
}

bool is_untold(const Node& node) {
    return node.is(ops::RoiAlign, ops::MaxRoiPool, ops::DeformConv, ops::TfIdfVectorizer, ops::StringSplit, ops::ml::TreeEnsemble,
                   ops::ml::TreeEnsembleClassifier, ops::ml::TreeEnsembleRegressor);
}

Work of_strings(const Node& node, const Sizes& sizes) {
    constexpr double overhead = 64;  // of a string, in bytes
    const double stop_words = static_cast<double>(NodeView(node).has("stopwords") ? NodeView(node).texts("stopwords").size() : 0);
    const double bytes = sizes.all() * (sizes.letters + overhead);
    return {bytes * (1 + stop_words), bytes};
}

// A few steps for each element that is read or made.
bool is_linear(const Node& node) {
    const Op& op = *node.op;
    if (has(op.traits, Trait::elementwise) || has(op.traits, Trait::data_movement)) return true;
    if (!op.domain.empty()) return false;
    if (op.cost == cost_reading || op.cost == cost_movement) return true;  // reductions, scattering, casts
    return node.is(ops::Where, ops::Softmax, ops::LogSoftmax, ops::BatchNormalization, ops::InstanceNormalization, ops::GroupNormalization,
                   ops::LayerNormalization, ops::RMSNormalization, ops::LpNormalization, ops::MeanVarianceNormalization,
                   ops::GlobalAveragePool, ops::GlobalMaxPool, ops::GlobalLpPool, ops::MaxUnpool, ops::AffineGrid, ops::Range,
                   ops::Constant, ops::ConstantOfShape, ops::EyeLike, ops::OneHot, ops::TopK, ops::Unique, ops::HannWindow,
                   ops::HammingWindow, ops::BlackmanWindow, ops::MelWeightMatrix, ops::QuantizeLinear, ops::DequantizeLinear,
                   ops::DynamicQuantizeLinear, ops::NegativeLogLikelihoodLoss, ops::SoftmaxCrossEntropyLoss);
}

double linear_steps(const Node& node, const Sizes& sizes) {
    constexpr double searching = 32, computing = 4;
    if (node.is(ops::TopK, ops::Unique)) return searching * sizes.all();
    // What selects from a large input looks only at what it takes.
    if (has(node.op->traits, Trait::data_movement)) return sizes.made + sizes.read - (sizes.in.empty() ? 0 : spread(sizes.in[0]));
    const double operands = has(node.op->traits, Trait::variadic_in) ? std::max<double>(1, static_cast<double>(sizes.in.size()) / 2) : 1;
    return computing * operands * sizes.all();
}

// The row's own sum of multiply-adds is a bound of these.
bool is_product(const Node& node) {
    return node.is(ops::Conv, ops::ConvTranspose, ops::MatMul, ops::Gemm, ops::Einsum, ops::LSTM, ops::GRU, ops::RNN);
}

// Axis after axis: what is between is as large as the larger side along each.
Work resizing(const Sizes& sizes) {
    double max = 1;
    for (size_t i = 0; i < sizes.in[0].size() && i < sizes.out[0].size(); ++i)
        max *= static_cast<double>(std::max({int64_t{1}, sizes.in[0][i], sizes.out[0][i]}));
    const double rank = static_cast<double>(std::max<size_t>(1, sizes.in[0].size()));
    return {8 * rank * max, max > sizes.all() ? 8 * max : 0};
}

double tap_steps(const Node& node, const Sizes& sizes) {
    return node.attrs.contains("kernel_shape") ? sizes.made * spread(NodeView(node).integers("kernel_shape")) : 0;
}

Work of_sizes(const Node& node, const Sizes& sizes) {
    constexpr double transform = 512, transform_bytes = 128, interpolation = 32;
    const double square = sizes.read * sizes.all();
    if (sizes.strings) return of_strings(node, sizes);
    if (is_linear(node)) return {linear_steps(node, sizes), 0};
    if (node.is(ops::MaxPool, ops::AveragePool, ops::LpPool) && sizes.settled) return {sizes.all() + tap_steps(node, sizes), 0};
    if (node.is(ops::DFT, ops::STFT)) return {transform * sizes.all(), transform_bytes * sizes.all()};
    if (node.is(ops::GridSample)) return {interpolation * sizes.all(), 0};
    if (node.is(ops::Resize) && sizes.settled) return resizing(sizes);
    if (is_product(node) && sizes.settled)
        return {sizes.all() + node.op->cost({node, sizes.in, sizes.out}).macs * std::max(1.0, static_cast<double>(sizes.in.size()) / 2), 0};
    if (node.is(ops::NonMaxSuppression)) return {sizes.read * sizes.read, 0};  // of each class each box beside each, at most
    const double max = square + tap_steps(node, sizes);
    return {max, 8 * max};
}

}  // namespace

Work work_of(const Node& node, std::span<const Tensor> inputs, uint64_t unknown) {
    if (is_untold(node)) return {untold, untold};
    if (has(node.op->traits, Trait::shape_only)) return {node.is(ops::EyeLike) && !inputs.empty() ? spread(inputs[0].dims) : 1, 0};
    const Sizes sizes = sizes_of(node, inputs, unknown);
    try {
        return of_sizes(node, sizes);
    } catch (const Error&) {  // attributes that the row refuses
        return {sizes.all(), 0};
    }
}

uint64_t bytes_of(std::span<const Tensor> tensors) {
    uint64_t bytes = 0;
    for (const Tensor& tensor : tensors) bytes += tensor.data.size();
    return bytes;
}

bool is_small(const Work& work, uint64_t bytes_read) {
    constexpr double steps_a_byte = 16;
    return work.steps <= small_work.steps + steps_a_byte * static_cast<double>(bytes_read) && work.scratch <= small_work.scratch;
}

}  // namespace quern
