// Normalization over channels: BatchNormalization InstanceNormalization GroupNormalization MeanVarianceNormalization LRN, and the rows of
// the family.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/norm.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// A parameter with one number per channel.
template <class T>
Numbers<T> per_channel(EvalCtx& ctx, size_t i, int64_t channels) {
    if (ctx.need(i).count() != channels) throw bad_input("input {} has {} numbers, need {}", i, ctx.need(i).count(), channels);
    return Numbers<T>(ctx.need(i));
}

struct Planes {
    int64_t batch, channels, size;
    explicit Planes(const Dims& dims) : batch(dims[0]), channels(dims[1]), size(count_of(space_of(dims))) {}
};

// ---- BatchNormalization --------------------------------------------------------------------------------------------------------

void infer_batch_norm(InferCtx& ctx) {
    infer_same(ctx);
    ctx.set(1, ctx.in(3));
    ctx.set(2, ctx.in(4));
}

// Mean and variance of a channel over the batch and space.
template <class T>
LineMoments channel_moments(const T* x, const Planes& planes, int64_t channel) {
    std::vector<T> items;
    items.reserve(static_cast<size_t>(planes.batch * planes.size));
    for (int64_t n = 0; n < planes.batch; ++n) {
        const T* from = x + (n * planes.channels + channel) * planes.size;
        items.insert(items.end(), from, from + planes.size);
    }
    return moments_of<T>(items);
}

template <class T>
std::vector<LineMoments> stated_moments(EvalCtx& ctx, int64_t channels) {
    const auto mean = per_channel<double>(ctx, 3, channels), variance = per_channel<double>(ctx, 4, channels);
    std::vector<LineMoments> moments;
    for (size_t c = 0; c < mean.size(); ++c) moments.push_back({mean[c], variance[c]});
    return moments;
}

// The running statistics after this batch.
void give_running(EvalCtx& ctx, const std::vector<LineMoments>& before, const std::vector<LineMoments>& now) {
    const double momentum = ctx.real("momentum");
    std::vector<double> mean, variance;
    for (size_t c = 0; c < now.size(); ++c) {
        mean.push_back(before[c].mean * momentum + now[c].mean * (1 - momentum));
        variance.push_back(before[c].variance * momentum + now[c].variance * (1 - momentum));
    }
    if (ctx.wants(1)) ctx.give(1, from_doubles(ctx.need(3).dtype, ctx.need(3).dims, mean));
    if (ctx.wants(2)) ctx.give(2, from_doubles(ctx.need(4).dtype, ctx.need(4).dims, variance));
}

void eval_batch_norm(EvalCtx& ctx) {
    const Tensor& data = ctx.need(0);
    const bool last = channels_last(ctx);
    const Dims dims = spatial_dims(data, last, 2);
    const Planes planes(dims);
    const double epsilon = ctx.real("epsilon");
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const SpatialIn<T> x(data, last);
        const auto scale = per_channel<double>(ctx, 1, planes.channels), bias = per_channel<double>(ctx, 2, planes.channels);
        std::vector<LineMoments> moments = stated_moments<T>(ctx, planes.channels);
        if (ctx.integer("training_mode")) {
            const std::vector<LineMoments> before = moments;
            for (size_t c = 0; c < moments.size(); ++c) moments[c] = channel_moments(x.data(), planes, static_cast<int64_t>(c));
            give_running(ctx, before, moments);
        }
        SpatialOut<T> out(ctx, 0, data.dtype, dims, last);
        const T* from = x.data();
        T* to = out.data();
        for (int64_t plane = 0; plane < planes.batch * planes.channels; ++plane, from += planes.size, to += planes.size) {
            const auto c = static_cast<size_t>(plane % planes.channels);
            const double wide_factor = scale[c] / std::sqrt(moments[c].variance + epsilon);
            const T factor = static_cast<T>(wide_factor), shift = static_cast<T>(bias[c] - moments[c].mean * wide_factor);
            for (int64_t i = 0; i < planes.size; ++i) to[i] = from[i] * factor + shift;
        }
    });
}

// ---- InstanceNormalization and GroupNormalization ------------------------------------------------------------------------------

// Normalizes each of `groups` runs of channels of an image, then scales and shifts each channel.
void normalize_groups(EvalCtx& ctx, int64_t groups) {
    const Tensor& data = ctx.need(0);
    const bool last = channels_last(ctx);
    const Dims dims = spatial_dims(data, last);
    const Planes planes(dims);
    if (groups < 1 || planes.channels % groups != 0) throw bad_input("{} channels do not divide into {} groups", planes.channels, groups);
    const double epsilon = ctx.real("epsilon");
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const SpatialIn<T> x(data, last);
        const auto scale = per_channel<T>(ctx, 1, planes.channels), bias = per_channel<T>(ctx, 2, planes.channels);
        SpatialOut<T> out(ctx, 0, data.dtype, dims, last);
        const auto plane = static_cast<size_t>(planes.size), size = static_cast<size_t>(planes.channels / groups) * plane;
        for (size_t start = 0; size > 0 && start < out.span().size(); start += size) {
            const std::span<const T> group(x.data() + start, size);
            const LineMoments m = moments_of(group);
            const double inverse = 1 / std::sqrt(m.variance + epsilon);
            for (size_t i = 0; i < size; ++i) {
                const size_t c = (start + i) / plane % static_cast<size_t>(planes.channels);
                out.span()[start + i] = static_cast<T>((group[i] - m.mean) * inverse) * scale[c] + bias[c];
            }
        }
    });
}

void eval_instance_norm(EvalCtx& ctx) { normalize_groups(ctx, spatial_dims(ctx.need(0), channels_last(ctx)).at(1)); }
void eval_group_norm(EvalCtx& ctx) { normalize_groups(ctx, ctx.integer("num_groups")); }

void infer_group_norm(InferCtx& ctx) {
    infer_same(ctx);
    const Shape& x = ctx.shape(0);
    const int64_t groups = ctx.integer("num_groups");
    if (!x.ranked || x.rank() < 2) return;
    const Dim& channels = x.dims[channels_last(ctx) ? x.rank() - 1 : 1];
    if (groups < 1 || (channels.known() && channels.value % groups != 0))
        throw bad_input("{} channels do not divide into {} groups", to_string(channels), groups);
}

// ---- MeanVarianceNormalization -------------------------------------------------------------------------------------------------

// The group of each element: its index along the dims that are kept.
std::vector<size_t> group_numbers(const Dims& dims, const std::vector<bool>& reduced, size_t& groups) {
    const auto strides = strides_of(dims);
    Dims kept = dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (reduced[d]) kept[d] = 1;
    groups = static_cast<size_t>(count_of(kept));
    const BroadcastIndex at(kept, dims);
    std::vector<size_t> numbers(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = at(i);
    return numbers;
}

void eval_mean_variance_norm(EvalCtx& ctx) {
    const Tensor& data = ctx.need(0);
    std::vector<bool> reduced(data.dims.size(), false);
    for (const int64_t axis : ctx.has("axes") ? ctx.integers("axes") : Dims{0, 2, 3}) reduced[normal_axis(axis, reduced.size())] = true;
    size_t groups = 0;
    const auto group = group_numbers(data.dims, reduced, groups);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        std::vector<double> mean(groups, 0), deviation(groups, 0);
        const double size = static_cast<double>(x.size()) / static_cast<double>(std::max<size_t>(1, groups));
        for (size_t i = 0; i < x.size(); ++i) mean[group[i]] += x[i] / size;
        for (size_t i = 0; i < x.size(); ++i) deviation[group[i]] += (x[i] - mean[group[i]]) * (x[i] - mean[group[i]]) / size;
        for (double& d : deviation) d = std::sqrt(d) + 1e-9;  // the standard's guard
        for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>((x[i] - mean[group[i]]) / deviation[group[i]]);
    });
}

// ---- LRN -----------------------------------------------------------------------------------------------------------------------

void eval_lrn(EvalCtx& ctx) {
    const Tensor& data = ctx.need(0);
    const bool last = channels_last(ctx);
    const Dims dims = spatial_dims(data, last);
    const Planes planes(dims);
    const int64_t size = ctx.integer("size");
    if (size < 1) throw bad_input("attribute \"size\" is {}, need at least 1", size);
    const double alpha = ctx.real("alpha") / static_cast<double>(size), beta = ctx.real("beta"), bias = ctx.real("bias");
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const SpatialIn<T> x(data, last);
        SpatialOut<T> y(ctx, 0, data.dtype, dims, last);
        for (int64_t plane = 0; plane < planes.batch * planes.channels; ++plane) {
            const int64_t c = plane % planes.channels, image = plane - c;
            const int64_t first = std::max<int64_t>(0, c - (size - 1) / 2), end = c + std::min(planes.channels - c, size / 2 + 1);
            for (int64_t i = 0; i < planes.size; ++i) {
                double squares = 0;
                for (int64_t k = first; k < end; ++k) {
                    const double item = x.data()[(image + k) * planes.size + i];
                    squares += item * item;
                }
                y.data()[plane * planes.size + i] =
                    static_cast<T>(x.data()[plane * planes.size + i] / portable::pow(bias + alpha * squares, beta));
            }
        }
    });
}

// ---- rows ----------------------------------------------------------------------------------------------------------------------

Cost norm_cost(const CostCtx& ctx) { return {elements(ctx.in[0]), moved_bytes(ctx)}; }

constexpr AttrDef epsilon{"epsilon", AttrKind::real, "1e-5"}, last_axis{"axis", AttrKind::integer, "-1"},
    stash{"stash_type", AttrKind::integer, "1"};
constexpr std::array batch_attrs{epsilon, AttrDef{"momentum", AttrKind::real, "0.9"}, AttrDef{"training_mode", AttrKind::integer, "0"},
                                 layout_attr};
constexpr std::array instance_attrs{epsilon, layout_attr};
constexpr std::array group_attrs{epsilon, AttrDef{"num_groups", AttrKind::integer, {}, true}, stash, layout_attr};
constexpr std::array layer_attrs{last_axis, epsilon, stash};
constexpr std::array axis_attrs{last_axis};
constexpr std::array lp_attrs{last_axis, AttrDef{"p", AttrKind::integer, "2"}};
constexpr std::array mean_attrs{AttrDef{"axes", AttrKind::integers}};
constexpr std::array lrn_attrs{AttrDef{"alpha", AttrKind::real, "0.0001"}, AttrDef{"beta", AttrKind::real, "0.75"},
                               AttrDef{"bias", AttrKind::real, "1"}, AttrDef{"size", AttrKind::integer, {}, true}, layout_attr};

constexpr QuantRule own = rules::own, normalized = rules::own.with(rules::sets_scale);
constexpr QuantRule friendly = normalized.with(rules::friendly);
// TensorFlow Lite's 8-bit and 16x8 quantization specification; Samsung/ONE, luci's QuantizationUtils.
constexpr std::array tflite_softmax{FixedResult{DType::i8, 1.0f / 256, -128}, FixedResult{DType::u8, 1.0f / 256, 0},
                                    FixedResult{DType::i16, 1.0f / 32768, 0}};
constexpr std::array one_softmax{FixedResult{DType::u8, 1.0f / 255, 0}, FixedResult{DType::i16, 1.0f / 32767, 0}};
constexpr std::array tflite_log_softmax{FixedResult{DType::i8, 16.0f / 256, 127}, FixedResult{DType::u8, 16.0f / 256, 255}};
constexpr std::array tflite_lp{FixedResult{DType::i8, 1.0f / 128, 0}, FixedResult{DType::u8, 1.0f / 128, 128}};
constexpr QuantRule probability =
    rules::within(0, 1).with(rules::friendly | rules::sets_scale).with_runtimes({.fixed = tflite_softmax}, {.fixed = one_softmax});

constexpr Op norm(std::string_view name, Arity in, std::span<const AttrDef> attrs, void (*infer)(InferCtx&), void (*eval)(EvalCtx&),
                  QuantRule quant, std::string_view doc, Layout layout = Layout::opaque, Arity out = {}) {
    return {.name = name,
            .in = in,
            .out = out,
            .attrs = attrs,
            .types = dtypes::floats,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .layout = layout,
            .cost = norm_cost,
            .doc = doc};
}

constexpr std::array norm_table{
    norm("BatchNormalization", {5, 5}, batch_attrs, infer_batch_norm, eval_batch_norm, friendly,
         "normalizes each channel by stated statistics, or by the batch's in training mode", Layout::spatial, {1, 3}),
    norm("InstanceNormalization", {3, 3}, instance_attrs, infer_same, eval_instance_norm,
         friendly.with_runtimes({}, {.channel_constants = 0b110}), "normalizes each channel of each image", Layout::spatial),
    norm("GroupNormalization", {3, 3}, group_attrs, infer_group_norm, eval_group_norm, own, "normalizes groups of channels of each image",
         Layout::spatial),
    norm("LayerNormalization", {2, 3}, layer_attrs, infer_layer_norm, eval_layer_norm, normalized, "normalizes over the dims from axis on",
         Layout::opaque, {1, 3}),
    norm("RMSNormalization", {2, 2}, layer_attrs, infer_rms_norm, eval_rms_norm, own,
         "divides by the root mean square over the dims from axis on"),
    norm("LpNormalization", {1, 1}, lp_attrs, infer_along_axis, eval_lp_normalization, normalized.with_runtimes({.fixed = tflite_lp}),
         "divides by the 1- or 2-norm along an axis", Layout::axis),
    norm("MeanVarianceNormalization", {1, 1}, mean_attrs, infer_same, eval_mean_variance_norm, own,
         "zero mean and unit variance over some axes"),
    norm("LRN", {1, 1}, lrn_attrs, infer_same, eval_lrn, own, "local response normalization over neighbouring channels", Layout::spatial),
    norm("Softmax", {1, 1}, axis_attrs, infer_along_axis, eval_softmax, probability, "exp(x) divided by its sum along an axis",
         Layout::axis),
    norm("LogSoftmax", {1, 1}, axis_attrs, infer_along_axis, eval_log_softmax, normalized.with_runtimes({.fixed = tflite_log_softmax}),
         "logarithm of Softmax", Layout::axis),
};

}  // namespace

std::span<const Op> norm_ops() { return norm_table; }

}  // namespace quern
