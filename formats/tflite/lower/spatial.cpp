// Operators over channels and space, of data that is channels-last.
#include <algorithm>
#include <limits>

#include "formats/tflite/lower/lower.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/window.h"
#include "libcore/passes/affine.h"

namespace quern::tflite_format {
namespace {

// The geometry of a window over [N, space..., C] as the formats say it.
struct Frame {
    Ints kernel, stride, dilation;  // height, width
    Ints before, after;             // padding
    bool same = false;              // what the formats call SAME is what is wanted
    bool pads = false;              // the node itself says that there is padding
    bool behind = true;             // SAME is what is wanted of data that have got the padding already
    bool overhangs = false;         // a last window reaches beyond data and padding, as ceil_mode lets it
    bool padded() const {
        return std::any_of(before.begin(), before.end(), [](int64_t p) { return p != 0; }) ||
               std::any_of(after.begin(), after.end(), [](int64_t p) { return p != 0; });
    }
};

Frame frame_of(Lowering& at, const Ints& kernel, bool ceil) {
    std::vector<Dim> spatial;
    const size_t space = at.rank(0) - 2;
    for (size_t i = 0; i < space; ++i) spatial.push_back(at.type(0).shape.dims[i + 1]);
    const Window window = window_of(at.view(), spatial, kernel);
    Frame frame{kernel, window.stride, window.dilation, window.before, window.after, true};
    for (size_t i = 0; i < space; ++i) {
        frame.pads = frame.pads || window.before[i] != 0 || window.after[i] != 0;
        const int64_t length = spatial[i].known() ? spatial[i].value : -1, reach = (kernel[i] - 1) * window.dilation[i] + 1;
        const std::string pad = at.view().text("auto_pad");
        if (length < 0) {  // no sum can be done: only what names itself
            frame.same = frame.same && pad == "SAME_UPPER";
            if (pad == "SAME_LOWER" || (ceil && window.stride[i] != 1)) throw unsupported("spatial dimensions are not fixed");
            if (pad == "SAME_UPPER") frame.before[i] = frame.after[i] = 0;
            frame.behind = false;
            continue;
        }
        const int64_t count = window_count(window, i, spatial[i], ceil).value;
        frame.after[i] = std::max<int64_t>((count - 1) * window.stride[i] + reach - length - frame.before[i], 0);
        const int64_t whole = length + frame.before[i] + frame.after[i], steps = (whole + window.stride[i] - 1) / window.stride[i];
        frame.behind = frame.behind && count == steps && (steps - 1) * window.stride[i] + reach <= whole;
        frame.overhangs = frame.overhangs || frame.after[i] > window.after[i];
        const int64_t total =
            std::max<int64_t>(((length + window.stride[i] - 1) / window.stride[i] - 1) * window.stride[i] + reach - length, 0);
        frame.same = frame.same && count == (length + window.stride[i] - 1) / window.stride[i] && frame.before[i] == total / 2 &&
                     frame.before[i] + frame.after[i] == total;
    }
    return frame;
}

// Lines of one dimension become pictures of height 1.
void make_plane(Frame& frame) {
    if (frame.kernel.size() != 1) return;
    for (Ints* numbers : {&frame.kernel, &frame.stride, &frame.dilation}) numbers->insert(numbers->begin(), 1);
    for (Ints* numbers : {&frame.before, &frame.after}) numbers->insert(numbers->begin(), 0);
}

Ints dims_of(Lowering& at, size_t operand) {
    Ints out;
    for (size_t i = 0; i < at.rank(operand); ++i) out.push_back(at.dim(operand, i));
    return out;
}

// Data of lines whose number and length are open, as planes.
int64_t expanded(Lowering& at, const Ints& shape) {
    const int64_t plane = at.temp_like("plane", 0, shape);
    at.op(Code::EXPAND_DIMS, {at.in(0), at.constant("axis", from_ints(DType::i32, {}, Ints{1}))}, {plane});
    return plane;
}

// The data [N, H, W, C] with the padding that the operator itself cannot say, filled with `fill` (0: with zeros).
int64_t data_of(Lowering& at, const Frame& frame, std::optional<float> fill = {}) {
    int64_t data = at.in(0);
    Ints shape = dims_of(at, 0);
    if (shape.size() == 3) {
        shape.insert(shape.begin() + 1, 1);
        data = has_more_open_dims(shape) ? expanded(at, shape) : at.reshaped("plane", data, shape);
    }
    if (frame.same || !frame.padded()) return data;
    Ints pads(2 * shape.size(), 0);
    for (size_t i = 0; i < frame.kernel.size(); ++i) {
        pads[2 * (i + 1)] = frame.before[i];
        pads[2 * (i + 1) + 1] = frame.after[i];
        if (shape[i + 1] >= 0) shape[i + 1] += frame.before[i] + frame.after[i];
    }
    const int64_t amounts = at.constant("pads", from_ints(DType::i32, {static_cast<int64_t>(shape.size()), 2}, pads));
    const int64_t padded = at.temp_like("padded", 0, shape);
    const auto& encoding = at.in_encoding(0);
    const bool zero = fill && encoding && to_floats(dequantize(quantize(Tensor::scalar(*fill), *encoding), *encoding))[0] == 0;
    if (fill && !zero)
        at.op(Code::PADV2, {data, amounts, at.number("fill", *fill, 0)}, {padded});
    else
        at.op(Code::PAD, {data, amounts}, {padded});
    return padded;
}

std::string padding_of(const Frame& frame) { return frame.same || (frame.padded() && frame.behind) ? "SAME" : "VALID"; }

// Writes the operator over planes; where the node works on lines, its result is brought back to them.
void plane_result(Lowering& at, Code code, Ints in, const Attrs& options) {
    if (at.rank(0) > 3) return at.result(code, std::move(in), options);
    const Attrs activated = at.activated(options);
    Ints shape = at.out_shape();
    const Ints lines = shape;
    shape.insert(shape.begin() + 1, 1);
    const int64_t plane = at.temp("plane_result", DType::f32, shape, at.out_encoding());
    at.op(code, std::move(in), {plane}, activated);
    if (has_more_open_dims(lines)) return at.op(Code::SQUEEZE, {plane}, {at.out()}, {{"squeeze_dims", Ints{1}}});
    at.op(Code::RESHAPE, {plane, at.numbers("shape", lines)}, {at.out()}, {{"new_shape", lines}});
}

void need_channels_last(Lowering& at, size_t most = 4) {
    if (at.view().text("layout") != "NHWC") throw unsupported("its data is not channels-last");
    if (at.rank(0) < 3 || at.rank(0) > most) throw unsupported("its data has rank {}", at.rank(0));
}

// A bias of zeros where there is none: readers expect one.
int64_t bias_of(Lowering& at, int64_t count) {
    if (at.has(2)) return at.in(2);
    if (!at.on_codes()) return at.constant("bias", from_floats(DType::f32, {count}, std::vector<float>(static_cast<size_t>(count))));
    const Encoding &x = *at.in_encoding(0), &w = *at.in_encoding(1);
    const float scale = to_floats(x.scale).at(0);
    std::vector<float> scales = to_floats(w.scale);
    for (float& s : scales) s *= scale;
    const DType storage = x.storage == DType::i16 ? DType::i64 : DType::i32;
    const bool each = !w.per_tensor();
    const Encoding encoding = make_encoding(storage, each ? Tensor::vector<float>(scales) : Tensor::scalar(scales[0]), {}, each ? 0 : -1);
    return at.constant("bias", from_ints(storage, {count}, Ints(static_cast<size_t>(count), 0)), encoding);
}

// The filter [M, kernel..., C / group] as the operators have it: with a height of 1 for lines, depthwise [1, kernel..., M].
int64_t filter_of(Lowering& at, const Frame& frame, const Dims& filter, bool depthwise) {
    const bool line = filter.size() == 3;
    const int64_t made = filter[0], taken = filter.back();
    const Ints order = line ? Ints{2, 1, 0} : Ints{3, 1, 2, 0}, plane{1, frame.kernel[0], frame.kernel[1], made};
    if (!at.constant(1)) {
        if (depthwise) {
            const int64_t turned = at.transposed("filter", at.in(1), order);
            return line ? at.reshaped("filter_plane", turned, plane) : turned;
        }
        return line ? at.reshaped("filter_plane", at.in(1), {made, 1, filter[1], taken}) : at.in(1);
    }
    if (depthwise) return at.permuted(1, order, plane);
    return line ? at.permuted(1, {0, 1, 2}, {made, 1, filter[1], taken}) : at.weight(1);
}

// Data [N, D, H, W, C], the filter [D, H, W, C, M].
void conv_3d(Lowering& at, const Frame& frame, const Dims& filter) {
    if (at.view().integer("group") != 1) throw unsupported("{} groups in rank 5", at.view().integer("group"));
    const Attrs options{{"padding", padding_of(frame)},
                        {"stride_d", frame.stride[0]},
                        {"stride_h", frame.stride[1]},
                        {"stride_w", frame.stride[2]},
                        {"dilation_d_factor", frame.dilation[0]},
                        {"dilation_h_factor", frame.dilation[1]},
                        {"dilation_w_factor", frame.dilation[2]}};
    const Ints order{1, 2, 3, 4, 0};
    const int64_t data = data_of(at, frame), weights = at.constant(1) ? at.permuted(1, order) : at.transposed("filter", at.in(1), order);
    at.result(Code::CONV_3D, {data, weights, bias_of(at, filter[0])}, options);
}

void conv(Lowering& at) {
    need_channels_last(at, 5);
    if (!at.type(1).shape.concrete()) throw unsupported("the shape of the filter is not known");
    const Dims filter = *at.type(1).shape.concrete();  // [M, kernel..., C / group]
    const int64_t group = at.view().integer("group"), made = filter[0], taken = filter.back();
    Frame frame = frame_of(at, Ints(filter.begin() + 1, filter.end() - 1), false);
    if (filter.size() == 5) return conv_3d(at, frame, filter);
    make_plane(frame);
    const bool depthwise = group > 1 && taken == 1;
    Attrs options{{"padding", padding_of(frame)},
                  {"stride_h", frame.stride[0]},
                  {"stride_w", frame.stride[1]},
                  {"dilation_h_factor", frame.dilation[0]},
                  {"dilation_w_factor", frame.dilation[1]}};
    if (depthwise) options["depth_multiplier"] = made / group;
    const int64_t data = data_of(at, frame), weights = filter_of(at, frame, filter, depthwise);
    plane_result(at, depthwise ? Code::DEPTHWISE_CONV_2D : Code::CONV_2D, {data, weights, bias_of(at, made)}, options);
}

void pool(Lowering& at, bool mean) {
    need_channels_last(at);
    if (at.node().out.size() > 1 && at.node().out[1] != ValueId::none) throw unsupported("its indices are wanted");
    Frame frame = frame_of(at, at.view().integers("kernel_shape"), at.view().integer("ceil_mode") != 0);
    make_plane(frame);
    if (frame.dilation != Ints{1, 1}) throw unsupported("a window with gaps");
    const bool counts = mean && frame.pads && at.view().integer("count_include_pad") != 0;
    if (counts && frame.overhangs) throw unsupported("a mean that counts its padding, and not what its last windows reach beyond it");
    if (mean && !counts && !frame.same && frame.padded())
        throw unsupported("a mean that leaves out padding of {} before and {} after", frame.before[0], frame.after[0]);
    if (counts && frame.padded()) frame.same = false;
    const auto lowest = mean ? std::optional<float>() : -std::numeric_limits<float>::max();
    const int64_t data = data_of(at, frame, lowest);
    const Attrs options{{"padding", padding_of(frame)},
                        {"stride_h", frame.stride[0]},
                        {"stride_w", frame.stride[1]},
                        {"filter_height", frame.kernel[0]},
                        {"filter_width", frame.kernel[1]}};
    plane_result(at, mean ? Code::AVERAGE_POOL_2D : Code::MAX_POOL_2D, {data}, options);
}
void average_pool(Lowering& at) { pool(at, true); }
void max_pool(Lowering& at) { pool(at, false); }

template <Code code>
void global_pool(Lowering& at) {
    const bool last = at.view().text("layout") == "NHWC";
    Ints axes;
    for (size_t i = 2; i < at.rank(0); ++i) axes.push_back(static_cast<int64_t>(i) - (last ? 1 : 0));
    at.result(code, {at.in(0), at.numbers("axes", axes)}, {{"keep_dims", int64_t{1}}});
}

// The shape of a result of which the batch may be open: then it is that of the data.
int64_t shape_of_result(Lowering& at, int64_t data) {
    const Ints out = at.out_shape();
    if (out[0] >= 0) return at.numbers("shape", out);
    const auto number = [&](std::string_view what, int64_t item) { return at.constant(what, from_ints(DType::i32, {}, Ints{item})); };
    const int64_t shape = at.temp("data_shape", DType::i32, {4}), batch = at.temp("batch", DType::i32, {}),
                  made = at.temp("shape", DType::i32, {4});
    at.op(Code::SHAPE, {data}, {shape}, {{"out_type", std::string("INT32")}});
    at.op(Code::STRIDED_SLICE, {shape, at.numbers("first", {0}), at.numbers("second", {1}), at.numbers("step", {1})}, {batch},
          {{"shrink_axis_mask", int64_t{1}}});
    at.op(Code::PACK, {batch, number("height", out[1]), number("width", out[2]), number("channels", out[3])}, {made},
          {{"axis", int64_t{0}}, {"values_count", int64_t{4}}});
    return made;
}

void conv_transpose(Lowering& at) {
    need_channels_last(at);
    if (at.rank(0) != 4 || !at.type(1).shape.concrete()) throw unsupported("its data or filter is not of fixed rank 4");
    if (at.view().integer("group") != 1) throw unsupported("{} groups", at.view().integer("group"));
    const Dims filter = *at.type(1).shape.concrete();  // [C, kernel..., M]
    const Ints out = at.out_shape();
    if (std::count(out.begin() + 1, out.end(), -1) > 0 || at.dim(0, 1) < 0 || at.dim(0, 2) < 0)
        throw unsupported("shapes that are not fixed");
    const Window window =
        spread_of(at.view(), std::array{at.type(0).shape.dims[1], at.type(0).shape.dims[2]}, Dims{filter[1], filter[2]}).window;
    if (window.dilation != Ints{1, 1}) throw unsupported("a filter with gaps");
    const Ints &stride = window.stride, &pads = window.before;
    bool same = true, valid = true;
    for (size_t i = 0; i < 2; ++i) {
        const int64_t whole = (at.dim(0, i + 1) - 1) * stride[i] + filter[i + 1], spare = whole - out[i + 1];
        same = same && (out[i + 1] + stride[i] - 1) / stride[i] == at.dim(0, i + 1) && pads[i] == std::max<int64_t>(spare, 0) / 2;
        valid = valid && spare <= 0 && pads[i] == 0;
    }
    if (!same && !valid) throw unsupported("padding that is neither even nor none");
    const Ints order{3, 1, 2, 0};
    const int64_t data = at.in(0), weights = at.constant(1) ? at.permuted(1, order) : at.transposed("filter", at.in(1), order);
    Ints in{shape_of_result(at, data), weights, data};
    if (at.has(2)) in.push_back(at.in(2));
    at.result(Code::TRANSPOSE_CONV, in,
              {{"padding", std::string(same ? "SAME" : "VALID")}, {"stride_h", stride[0]}, {"stride_w", stride[1]}});
}

// Sizes along height and width of channels-last data.
// The operators know the sizes of the result alone.
void need_by_sizes(Lowering& at) {
    const auto scales = at.reals(2), sizes = at.graph().constant(at.id(3));
    const std::string beyond = beyond_sizes(at.view(), at.type(0).shape, scales ? &*scales : nullptr, sizes ? &*sizes : nullptr);
    if (!beyond.empty()) throw unsupported("{}: its operator knows only the sizes of the result", beyond);
}

void resize(Lowering& at) {
    const Ints out = at.out_shape();
    if (at.rank(0) != 4) throw unsupported("its data has rank {}", at.rank(0));
    for (const size_t i : {size_t{0}, size_t{3}})
        if (out[i] != at.dim(0, i)) throw unsupported("other dimensions than height and width of channels-last data change");
    const std::string mode = at.view().text("mode"), where = at.view().text("coordinate_transformation_mode");
    const bool linear = mode == "linear", corners = where == "align_corners",
               centres = where == "half_pixel" || where == "pytorch_half_pixel";
    if (!linear && mode != "nearest") throw unsupported("mode {}, need nearest or linear", mode);
    if (!corners && !centres && where != "asymmetric") throw unsupported("coordinates {}", where);
    const std::string nearest = at.view().text("nearest_mode");
    if (!linear && nearest != (corners || centres ? "round_prefer_ceil" : "floor"))
        throw unsupported("nearest_mode {} with {}", nearest, where);
    if (out[1] < 0 || out[2] < 0) throw unsupported("sizes that are not fixed");
    need_by_sizes(at);
    at.result(linear ? Code::RESIZE_BILINEAR : Code::RESIZE_NEAREST_NEIGHBOR, {at.in(0), at.numbers("size", {out[1], out[2]})},
              {{"align_corners", int64_t{corners}}, {"half_pixel_centers", int64_t{centres}}});
}

void local_response(Lowering& at) {
    need_channels_last(at);
    const int64_t size = at.view().integer("size");
    if (at.rank(0) != 4 || size % 2 == 0) throw unsupported("a window of {} in rank {}", size, at.rank(0));
    at.result(Code::LOCAL_RESPONSE_NORMALIZATION, {at.in(0)},
              {{"radius", size / 2},
               {"alpha", at.view().real("alpha") / static_cast<float>(size)},
               {"beta", at.view().real("beta")},
               {"bias", at.view().real("bias")}});
}

// What no convolution has taken in: a factor and a summand for each channel.
void batch_norm(Lowering& at) {
    if (at.view().integer("training_mode") != 0) throw unsupported("it is in training mode");
    const auto scale = at.reals(1), shift = at.reals(2), mean = at.reals(3), variance = at.reals(4);
    if (!scale || !shift || !mean || !variance) throw unsupported("its statistics are not constant");
    const bool last = at.view().text("layout") == "NHWC";
    const auto floats = [](const std::optional<Tensor>& tensor) { return to_floats(*tensor); };
    const Affine affine = affine_of({floats(scale), floats(shift), floats(mean), floats(variance)}, at.view().real("epsilon"));
    Dims dims{static_cast<int64_t>(affine.factor.size())};
    for (size_t i = 2; !last && i < at.rank(0); ++i) dims.push_back(1);
    const int64_t scaled = at.temp("scaled", DType::f32, at.out_shape());
    at.op(Code::MUL, {at.in(0), at.constant("factor", from_floats(DType::f32, dims, affine.factor))}, {scaled}, no_activation);
    at.result(Code::ADD, {scaled, at.constant("summand", from_floats(DType::f32, dims, affine.offset))});
}

void instance_norm(Lowering& at) {
    if (at.exporter().format() != "circle") throw unsupported("only circle has such an operator");
    need_channels_last(at);
    if (at.rank(0) != 4) throw unsupported("rank {}, need 4", at.rank(0));
    at.result(Code::INSTANCE_NORM, at.ins(), {{"epsilon", at.view().real("epsilon")}});
}

constexpr std::array spatial_table{
    LowerRow{ops::AveragePool, average_pool},
    LowerRow{.op = ops::BatchNormalization, .lower = batch_norm, .on_reals = true},
    LowerRow{ops::Conv, conv, 1, false, true},
    LowerRow{ops::ConvTranspose, conv_transpose, 1},
    LowerRow{ops::GlobalAveragePool, global_pool<Code::MEAN>},
    LowerRow{ops::GlobalMaxPool, global_pool<Code::REDUCE_MAX>},
    LowerRow{ops::InstanceNormalization, instance_norm},
    LowerRow{ops::LRN, local_response},
    LowerRow{ops::MaxPool, max_pool},
    LowerRow{ops::Resize, resize},
};

}  // namespace

std::span<const LowerRow> lower_spatial_rows() { return spatial_table; }

}  // namespace quern::tflite_format
