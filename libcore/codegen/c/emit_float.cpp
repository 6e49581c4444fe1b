// Operators on real numbers along windows and axes: pools, softmax, normalizations.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern::cgen {
namespace {

void need_float(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
}

struct PoolCase {
    Spatial x, y;
    Window window;
    std::string shape;
};

PoolCase pool_case(Emit& e) {
    const bool last = channels_last(e.view);
    PoolCase p{Spatial(e.in_dims(0), last), Spatial(e.out_dims(), last), {}, {}};
    p.window = window_in_2d(e.view, p.x, e.view.integers("kernel_shape"));
    p.shape = e.source.parameters("conv_t", conv_sizes(p.x, p.y, p.window), e.label("window"));
    return p;
}

// Only real numbers can be none, which wins.
std::string max_pool_kernel(Emit& e, const std::string& type, const std::string& min) {
    return e.source.kernel("max_pool",
                           {{"X", type}, {"LEAST", min}, {"BETTER", is_real(type) ? "item > most || item != item" : "item > most"}});
}

// The greatest code is that of the greatest number where both sides have one encoding.
void emit_max_pool(Emit& e) {
    if (has_volume(e)) return emit_volume_pool(e);
    if (e.wants(1)) throw unsupported("the places of the maxima");
    const PoolCase p = pool_case(e);
    const Encoding *in = e.in_encoding(0), *out = e.out_encoding();
    const bool held = !in == !out && (in ? *in == *out && in->per_tensor() : !is_short_float(e.f.held(e.in_id(0))));
    const std::string type(held ? e.in_type(0) : "float");
    const std::string min =
        is_real(type) ? infinity(type, false) : fmt::format("({})({})", type, integer_limit(e.f.held(e.in_id(0)), false));
    const std::string x = held ? e.in(0) : e.real_in(0);
    e.call(max_pool_kernel(e, type, min), {x, held ? e.out() : e.real_out(), p.shape});
}

void emit_average_pool(Emit& e) {
    need_float(e);
    if (has_volume(e)) return emit_volume_pool(e);
    const PoolCase p = pool_case(e);
    const std::string x = e.real_in(0);
    const std::string fn =
        e.source.kernel("average_pool", {{"X", "float"}, {"PARAMETERS", ""}, {"TERM", "u"}, {"MEAN", "sum / (float)count"}});
    e.call(fn, {x, e.real_out(), p.shape, text_of(p.window.after[0]), text_of(p.window.after[1]),
                e.view.integer("count_include_pad") != 0 ? "1" : "0"});
}

void emit_global_average(Emit& e) {
    need_float(e);
    const bool last = channels_last(e.view);
    const Dims& dims = e.in_dims(0);
    const int64_t channels = last ? dims.back() : dims[1], pixels = e.in_count(0) / (dims[0] * channels);
    const std::string x = e.real_in(0);
    const Words words{
        {"X", "float"}, {"SUM", "double"}, {"PARAMETERS", ""}, {"TERM", "(double)u"}, {"MEAN", "(float)(sum / (double)pixels)"}};
    e.call(e.source.kernel("global_average", words), {x, e.real_out(), text_of(dims[0]), text_of(channels), text_of(pixels),
                                                      text_of(last ? 1 : pixels), text_of(last ? channels : 1)});
}

void emit_global_max(Emit& e) {
    need_float(e);
    const bool last = channels_last(e.view);
    const Dims& dims = e.in_dims(0);
    const int64_t channels = last ? dims.back() : dims[1], pixels = e.in_count(0) / (dims[0] * channels);
    e.source.kernel("conv_t");
    const std::string shape =
        "&" + e.source.structure(
                  "conv_t",
                  fmt::format("    .batch = {}, .out_channels = {}, .in_h = 1, .in_w = {}, .out_h = 1, "
                              ".out_w = 1, .kernel_h = 1, .kernel_w = {},\n"
                              "    .x_n = {}, .x_c = {}, .x_w = {}, .y_n = {}, .y_c = 1, "
                              ".stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1",
                              dims[0], channels, pixels, pixels, channels * pixels, last ? 1 : pixels, last ? channels : 1, channels),
                  e.label("window"));
    const std::string x = e.real_in(0);
    e.call(max_pool_kernel(e, "float", "(-1.0f / 0.0f)"), {x, e.real_out(), shape});
}

void emit_softmax(Emit& e) {
    need_float(e);
    const Dims& dims = e.in_dims(0);
    const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
    const int64_t step = strides_of(dims)[axis], length = dims[axis];
    const std::string x = e.real_in(0);
    const bool plain = e.node.is(ops::Softmax);
    Words words;
    e.add_math(words, plain ? "expf" : "expf logf");
    e.call(e.source.kernel(plain ? "softmax" : "log_softmax", words),
           {x, e.real_out(), text_of(e.in_count(0) / (step * length)), text_of(length), text_of(step)});
}

// A constant vector broadcast to the dims of a group.
std::string spread(Emit& e, size_t input, const Dims& inner) {
    const auto tensor = e.real_constant(input);
    if (!tensor) {
        if (e.in_count(input) == count_of(inner)) return e.real_in(input);
        throw unsupported("input {} is computed in the run", input);
    }
    const auto items = to_floats(*tensor);
    const BroadcastIndex at(tensor->dims, inner);
    std::vector<float> out(static_cast<size_t>(count_of(inner)));
    for (size_t i = 0; i < out.size(); ++i) out[i] = items[at(i)];
    return e.source.numbers<float>(out, e.label(fmt::format("input_{}", input)));
}

void emit_norm(Emit& e) {
    need_float(e);
    const Dims& dims = e.in_dims(0);
    const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
    const Dims inner(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
    const int64_t size = count_of(inner);
    const bool layer = e.node.is(ops::LayerNormalization);
    std::vector<std::string> arguments{e.real_in(0), spread(e, 1, inner)};
    if (layer) arguments.push_back(e.has_in(2) ? spread(e, 2, inner) : "0");
    arguments.insert(arguments.end(),
                     {e.real_out(), text_of(e.in_count(0) / size), text_of(size), c_double(static_cast<double>(e.view.real("epsilon")))});
    for (size_t i = 1; layer && i < 3; ++i) arguments.push_back(e.wants(i) ? e.real_out(i) : "0");
    e.call(e.source.kernel(layer ? "layer_norm" : "rms_norm", {{"sqrt", e.math("sqrt")}}), arguments);
}

// y = x * factor + shift a channel; what it stands for in float32 within rounding.
struct ChannelFactors {
    std::string factor, shift;
};

ChannelFactors factors_in_run(Emit& e) {
    const int64_t count = e.in_count(1);
    const ChannelFactors out{e.f.scratch(DType::f32, count), e.f.scratch(DType::f32, count)};
    std::vector<std::string> arguments;
    for (size_t i = 1; i < 5; ++i) {
        if (e.real_in_type(i) != "float") throw unsupported("input {} of type {}", i, e.real_in_type(i));
        arguments.push_back(e.real_in(i));
    }
    arguments.insert(arguments.end(), {out.factor, out.shift, text_of(count), c_double(static_cast<double>(e.view.real("epsilon")))});
    e.call(e.source.kernel("channel_factors", {{"sqrt", e.math("sqrt")}}), arguments);
    return out;
}

ChannelFactors factors_of(Emit& e) {
    std::array<std::vector<float>, 4> numbers;
    for (size_t i = 0; i < 4; ++i) {
        const auto tensor = e.real_constant(i + 1);
        if (!tensor) return factors_in_run(e);
        numbers[i] = to_floats(*tensor);
    }
    const auto& [scale, bias, mean, variance] = numbers;
    std::vector<float> factor(scale.size()), shift(scale.size());
    for (size_t c = 0; c < scale.size(); ++c) {
        const double f =
            static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(e.view.real("epsilon")));
        factor[c] = static_cast<float>(f);
        shift[c] = static_cast<float>(static_cast<double>(bias[c]) - static_cast<double>(mean[c]) * f);
    }
    return {e.source.numbers<float>(factor, e.label("factor")), e.source.numbers<float>(shift, e.label("shift"))};
}

void emit_batch_norm(Emit& e) {
    need_float(e);
    if (e.view.integer("training_mode") != 0) throw unsupported("training mode");
    const Dims& dims = e.in_dims(0);
    const bool last = channels_last(e.view);
    Dims steps(dims.size(), 0);
    steps[last || dims.size() < 2 ? dims.size() - 1 : 1] = 1;
    const auto straight = strides_of(dims);
    e.source.kernel("walk_t");
    const std::string fn = e.source.kernel("ternary", {{"A", "float"}, {"B", "float"}, {"VALUE", "u * v + w"}}, "scaled");
    const ChannelFactors factors = factors_of(e);
    const std::string x = e.real_in(0);
    e.call(fn, {x, factors.factor, factors.shift, e.real_out(), walk(e, dims, {straight, steps, steps}, "channels")});
}

// Nearest neighbours: the reference over the numbers of the elements tells their places.
void emit_resize(Emit& e) {
    const std::string mode = e.view.text("mode");
    if (mode != "nearest") return emit_weighted_resize(e);
    const int64_t count = e.in_count(0);
    if (count > 1 << 24) throw unsupported("an input of {} elements", count);
    std::vector<float> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    std::vector<Tensor> inputs(e.node.in.size());
    inputs[0] = Tensor::make<float>(e.in_dims(0), numbers);
    for (size_t i = 1; i < inputs.size(); ++i)
        if (e.has_in(i) && !e.constant(i))
            throw unsupported("sizes that are computed in the run");
        else if (e.has_in(i))
            inputs[i] = *e.constant(i);
    std::vector<int32_t> places;
    const Tensor out = eval_node(e.node, inputs).at(0);
    for (const float place : to_floats(out)) {
        if (!(place >= 0) || place >= static_cast<float>(count)) throw unsupported("elements from outside");
        places.push_back(static_cast<int32_t>(place));
    }
    const Encoding *from = e.in_encoding(0), *to = e.out_encoding();
    const bool held = !from == !to && (!from || (*from == *to && from->per_tensor()));
    const std::string x = held ? e.in(0) : e.real_in(0);
    emit_places(e, std::string(held ? e.in_type(0) : e.real_in_type(0)), x, held ? e.out() : e.real_out(), places, "places");
}

constexpr std::array float_table{
    EmitRow{Kind::real, "MaxPool", emit_max_pool},
    EmitRow{Kind::real, "AveragePool", emit_average_pool},
    EmitRow{Kind::real, "Resize", emit_resize},
    EmitRow{Kind::real, "GlobalAveragePool", emit_global_average},
    EmitRow{Kind::real, "GlobalMaxPool", emit_global_max},
    EmitRow{Kind::real, "Softmax", emit_softmax},
    EmitRow{Kind::real, "LogSoftmax", emit_softmax},
    EmitRow{Kind::real, "LayerNormalization", emit_norm},
    EmitRow{Kind::real, "RMSNormalization", emit_norm},
    EmitRow{Kind::real, "BatchNormalization", emit_batch_norm},
};

}  // namespace

std::span<const EmitRow> float_rows() { return float_table; }

}  // namespace quern::cgen
