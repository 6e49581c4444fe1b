// Resize: separable, one axis after the other, but for linear neighbours in pictures and volumes, which are mixed in one sum; coordinates
// in float32.
#include <algorithm>
#include <cmath>
#include <map>

#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

enum class Kernel : uint8_t { nearest, linear, cubic };

// One resized axis.
struct AxisPlan {
    size_t axis;
    int64_t in, out;
    float scale;
    float roi_begin = 0, roi_end = 1;
};

// The taps of every output position along an axis: input index and weight, `taps` each.
struct LineTaps {
    size_t taps = 1;
    std::vector<int64_t> index;
    std::vector<float> weight;
    std::vector<bool> outside;  // tf_crop_and_resize: the extrapolation value is taken
};

std::vector<size_t> resized_axes(const NodeView& view, size_t rank) {
    std::vector<size_t> axes;
    for (const int64_t axis : view.integers("axes")) axes.push_back(normal_axis(axis, rank));
    if (axes.empty())
        for (size_t i = 0; i < rank; ++i) axes.push_back(i);
    std::vector<size_t> sorted = axes;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) throw bad_input("attribute \"axes\" names an axis twice");
    return axes;
}

std::vector<AxisPlan> plan_by_scales(const Dims& dims, const std::vector<size_t>& axes, const std::vector<float>& scales) {
    if (scales.size() != axes.size()) throw bad_input("{} scales, need {}, one per axis", scales.size(), axes.size());
    std::vector<AxisPlan> plan;
    for (size_t i = 0; i < axes.size(); ++i) {
        if (!(scales[i] > 0) || std::isinf(scales[i])) throw bad_input("scale {} is not positive", scales[i]);
        const int64_t in = dims[axes[i]];
        const double out = std::floor(static_cast<double>(static_cast<float>(in) * scales[i]));
        if (out > 1e12) throw bad_input("scale {} makes length {} too large", scales[i], in);
        plan.push_back({axes[i], in, static_cast<int64_t>(out), scales[i]});
    }
    return plan;
}

std::vector<AxisPlan> plan_by_sizes(const NodeView& view, const Dims& dims, const std::vector<size_t>& axes,
                                    const std::vector<int64_t>& sizes) {
    if (sizes.size() != axes.size()) throw bad_input("{} sizes, need {}, one per axis", sizes.size(), axes.size());
    std::vector<AxisPlan> plan;
    for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t in = dims[axes[i]];
        if (sizes[i] < 0 || sizes[i] > 1'000'000'000'000) throw bad_input("size {} is out of range", sizes[i]);
        if (in == 0 && sizes[i] != 0) throw bad_input("nothing to resize to {}", sizes[i]);
        plan.push_back({axes[i], in, sizes[i], in ? static_cast<float>(sizes[i]) / static_cast<float>(in) : 1.0f});
    }
    const std::string policy = view.text("keep_aspect_ratio_policy");
    if (policy == "stretch" || plan.empty()) return plan;
    if (policy != "not_larger" && policy != "not_smaller") throw bad_input("keep_aspect_ratio_policy is \"{}\"", policy);
    float scale = plan[0].scale;
    for (const AxisPlan& axis : plan) scale = policy == "not_larger" ? std::min(scale, axis.scale) : std::max(scale, axis.scale);
    for (AxisPlan& axis : plan) {
        axis.scale = scale;
        axis.out = static_cast<int64_t>(std::floor(scale * static_cast<float>(axis.in) + 0.5f));
    }
    return plan;
}

// ---- coordinates and weights ---------------------------------------------------------------------------------------------

float source_coordinate(const std::string& mode, const AxisPlan& axis, int64_t at) {
    const auto x = static_cast<float>(at), in = static_cast<float>(axis.in);
    const float out = axis.scale * in;  // the length before it was rounded down
    if (mode == "half_pixel") return (x + 0.5f) / axis.scale - 0.5f;
    if (mode == "asymmetric") return x / axis.scale;
    if (mode == "tf_half_pixel_for_nn") return (x + 0.5f) / axis.scale;  // opset 11 only
    if (mode == "pytorch_half_pixel") return axis.out > 1 ? (x + 0.5f) / axis.scale - 0.5f : 0.0f;
    if (mode == "align_corners") return axis.out == 1 ? 0.0f : x * (in - 1) / (out - 1);
    if (mode == "half_pixel_symmetric") {
        const double offset = static_cast<double>(in / 2 * (1 - static_cast<float>(axis.out) / out));
        return static_cast<float>(offset + (static_cast<double>(x) + 0.5) / static_cast<double>(axis.scale) - 0.5);
    }
    if (mode == "tf_crop_and_resize") {
        const float span = axis.roi_end - axis.roi_begin;
        if (axis.out == 1) return axis.roi_begin * (in - 1) + span * (in - 1) / 2;
        return axis.roi_begin * (in - 1) + x * span * (in - 1) / (out - 1);
    }
    throw unsupported("coordinate_transformation_mode \"{}\"", mode);
}

int64_t nearest_offset(const std::string& mode, float ratio) {
    if (ratio == 0 || mode == "floor") return 0;
    if (mode == "ceil") return 1;
    if (mode == "round_prefer_floor") return ratio > 0.5f;
    if (mode == "round_prefer_ceil") return ratio >= 0.5f;
    throw bad_input("nearest_mode is \"{}\"", mode);
}

// Taps lie at floor(x) + first .. floor(x) + first + count - 1.
struct Filter {
    Kernel kernel;
    float stretch = 1;  // below 1: antialiased downsampling
    float a = 0;
    int64_t first = 0;
    size_t count = 1;

    Filter(const NodeView& view, Kernel k, float scale) : kernel(k) {
        if (view.integer("antialias") != 0 && k != Kernel::nearest) stretch = std::min(scale, 1.0f);
        if (k == Kernel::cubic) a = view.real("cubic_coeff_a");
        if (k == Kernel::nearest) return;
        const float support = k == Kernel::linear ? 1.0f : 2.0f;
        first = static_cast<int64_t>(std::floor(-support / stretch)) + 1;
        count = static_cast<size_t>(2 - 2 * first);
    }
    float weight(float distance) const {
        const float d = std::fabs(distance) * stretch;
        return kernel == Kernel::linear ? std::max(0.0f, 1 - d) : cubic_weight(d, a);
    }
};

void put_weights(const NodeView& view, const AxisPlan& axis, const Filter& filter, float x, int64_t* index, float* weight) {
    const bool exclude = view.integer("exclude_outside") != 0;
    const float base = std::floor(x);
    float sum = 0;
    for (size_t k = 0; k < filter.count; ++k) {
        const int64_t at = static_cast<int64_t>(base) + filter.first + static_cast<int64_t>(k);
        weight[k] = filter.weight(static_cast<float>(filter.first + static_cast<int64_t>(k)) - (x - base));
        if (exclude && (at < 0 || at >= axis.in)) weight[k] = 0;
        index[k] = std::clamp<int64_t>(at, 0, axis.in - 1);
        sum += weight[k];
    }
    if (sum == 0 || (!exclude && filter.stretch == 1)) return;
    for (size_t k = 0; k < filter.count; ++k) weight[k] /= sum;
}

LineTaps taps_of(const NodeView& view, const AxisPlan& axis, Kernel kernel) {
    const std::string mode = view.text("coordinate_transformation_mode"), nearest = view.text("nearest_mode");
    const Filter filter(view, kernel, axis.scale);
    LineTaps taps{.taps = filter.count, .index = {}, .weight = {}, .outside = {}};
    const auto out = static_cast<size_t>(axis.out);
    taps.index.resize(out * taps.taps);
    taps.weight.assign(out * taps.taps, 1.0f);
    taps.outside.assign(out, false);
    for (size_t o = 0; o < out; ++o) {
        float x = source_coordinate(mode, axis, static_cast<int64_t>(o));
        if (!std::isfinite(x)) throw bad_input("coordinate of output {} is not finite", o);
        taps.outside[o] = mode == "tf_crop_and_resize" && (x < 0 || x > static_cast<float>(axis.in - 1));
        x = std::clamp(x, -1e15f, 1e15f);
        if (kernel == Kernel::nearest) {
            const float base = std::floor(x);
            taps.index[o] = std::clamp<int64_t>(static_cast<int64_t>(base) + nearest_offset(nearest, x - base), 0, axis.in - 1);
        } else {
            put_weights(view, axis, filter, x, &taps.index[o * taps.taps], &taps.weight[o * taps.taps]);
        }
    }
    return taps;
}

// The two neighbours of each place; half of the last one twice.
LineTaps linear_taps(const NodeView& view, const AxisPlan& axis) {
    const std::string mode = view.text("coordinate_transformation_mode");
    LineTaps taps{.taps = 2, .index = {}, .weight = {}, .outside = {}};
    for (int64_t o = 0; o < axis.out; ++o) {
        float x = axis.scale == 1.0f ? static_cast<float>(o) : source_coordinate(mode, axis, o);
        if (!std::isfinite(x)) throw bad_input("coordinate of output {} is not finite", o);
        x = std::clamp(x, 0.0f, static_cast<float>(axis.in - 1));
        const int64_t low = std::min(static_cast<int64_t>(x), axis.in - 1), high = std::min(low + 1, axis.in - 1);
        const bool last = low == high;
        taps.index.insert(taps.index.end(), {low, high});
        taps.weight.insert(taps.weight.end(),
                           {last ? 0.5f : std::fabs(x - static_cast<float>(high)), last ? 0.5f : x - static_cast<float>(low)});
    }
    return taps;
}

// ---- one axis ------------------------------------------------------------------------------------------------------------

template <class T>
std::vector<T> resize_axis(const std::vector<T>& from, const Dims& dims, const AxisPlan& axis, const LineTaps& taps, bool copy,
                           T extrapolation) {
    const auto inner = static_cast<size_t>(strides_of(dims)[axis.axis]);
    const auto in = static_cast<size_t>(axis.in), out = static_cast<size_t>(axis.out);
    const size_t outer = from.size() / (in * inner);
    std::vector<T> to(outer * out * inner);
    for (size_t o = 0; o < outer; ++o)
        for (size_t p = 0; p < out; ++p) {
            T* row = to.data() + (o * out + p) * inner;
            if (taps.outside[p]) {
                std::fill_n(row, inner, extrapolation);
                continue;
            }
            for (size_t k = 0; k < taps.taps; ++k) {
                const T* source = from.data() + (o * in + static_cast<size_t>(taps.index[p * taps.taps + k])) * inner;
                const T weight = static_cast<T>(taps.weight[p * taps.taps + k]);
                if (copy)
                    std::copy_n(source, inner, row);
                else
                    for (size_t i = 0; i < inner; ++i) row[i] += weight * source[i];
            }
        }
    return to;
}

bool crops(const NodeView& view) { return view.text("coordinate_transformation_mode") == "tf_crop_and_resize"; }

bool is_unchanged(const AxisPlan& axis, bool crop) {
    return axis.in == axis.out && axis.scale == 1.0f && (!crop || (axis.roi_begin == 0 && axis.roi_end == 1));
}

template <class T>
std::vector<T> resized(EvalCtx& ctx, std::vector<T> data, Dims& dims, const std::vector<AxisPlan>& plan, Kernel kernel) {
    const auto extrapolation = static_cast<T>(ctx.real("extrapolation_value"));
    const bool crop = crops(ctx);
    for (const AxisPlan& axis : plan) {
        if (!is_unchanged(axis, crop)) {
            const size_t before = data.size();
            if (before) data = resize_axis(data, dims, axis, taps_of(ctx, axis, kernel), kernel == Kernel::nearest, extrapolation);
        }
        dims[axis.axis] = axis.out;
    }
    return data;
}

Kernel kernel_of(const NodeView& view) {
    const std::string mode = view.text("mode");
    if (mode == "nearest") return Kernel::nearest;
    if (mode == "linear") return Kernel::linear;
    if (mode == "cubic") return Kernel::cubic;
    throw bad_input("mode is \"{}\", need nearest, linear or cubic", mode);
}

void set_roi(const std::vector<float>& roi, std::vector<AxisPlan>& plan) {
    if (roi.size() != 2 * plan.size()) throw bad_input("roi has {} numbers, need {}", roi.size(), 2 * plan.size());
    for (size_t i = 0; i < plan.size(); ++i) {
        plan[i].roi_begin = roi[i];
        plan[i].roi_end = roi[plan.size() + i];
    }
}

// What a Resize does, by its inputs.
std::vector<AxisPlan> plan_of(const NodeView& view, const Dims& dims, const Tensor* scales, const Tensor* sizes) {
    const auto axes = resized_axes(view, dims.size());
    const bool by_scales = scales && scales->count() > 0;
    if (by_scales && sizes && sizes->count() > 0) throw bad_input("both scales and sizes are given");
    if (!by_scales && (!sizes || sizes->count() == 0) && !axes.empty()) throw bad_input("neither scales nor sizes are given");
    return by_scales ? plan_by_scales(dims, axes, to_floats(*scales))
                     : plan_by_sizes(view, dims, axes, sizes ? to_ints(*sizes) : std::vector<int64_t>());
}

}  // namespace

Dims resized_dims(const NodeView& node, const Dims& dims, const Tensor* scales, const Tensor* sizes) {
    Dims out = dims;
    for (const AxisPlan& axis : plan_of(node, dims, scales, sizes)) out[axis.axis] = axis.out;
    return out;
}

std::vector<ResizeStep> resize_steps(const NodeView& node, const Dims& dims, const Tensor* roi, const Tensor* scales, const Tensor* sizes) {
    auto plan = plan_of(node, dims, scales, sizes);
    const bool crop = crops(node);
    if (crop && !roi) throw bad_input("there is no roi");
    if (crop) set_roi(to_floats(*roi), plan);
    std::vector<ResizeStep> steps;
    for (const AxisPlan& axis : plan) {
        if (is_unchanged(axis, crop)) continue;
        LineTaps taps = taps_of(node, axis, kernel_of(node));
        const bool outside = std::ranges::find(taps.outside, true) != taps.outside.end();
        steps.push_back({axis.axis, axis.in, axis.out, taps.taps, std::move(taps.index), std::move(taps.weight), outside});
    }
    return steps;
}

namespace {

// The first and the number of the axes that are mixed in one sum; none of other ranks. Of four dims those of a picture, wherever they lie.
std::pair<size_t, size_t> joint_axes(const NodeView& node, size_t rank, const std::vector<AxisPlan>& changed) {
    if (rank == 2 || rank == 3) return {0, rank};
    if (rank == 5) return {2, 3};
    if (rank != 4) return {0, 0};
    const bool last =
        std::ranges::any_of(changed, [](const AxisPlan& axis) { return axis.axis == 1; }) || node.integers("axes") == Dims{1, 2};
    return {last ? 1 : 2, 2};
}

}  // namespace

std::vector<ResizeStep> joint_steps(const NodeView& node, const Dims& dims, const Tensor* scales, const Tensor* sizes) {
    if (kernel_of(node) != Kernel::linear || node.integer("antialias") != 0 || node.integer("exclude_outside") != 0 || crops(node))
        return {};
    auto plan = plan_of(node, dims, scales, sizes);
    std::erase_if(plan, [](const AxisPlan& axis) { return is_unchanged(axis, false); });
    const auto [first, count] = joint_axes(node, dims.size(), plan);
    if (plan.empty() || count == 0 || count_of(dims) == 0) return {};
    for (const AxisPlan& axis : plan)
        if (axis.axis < first || axis.axis >= first + count || axis.out == 0) return {};
    std::vector<ResizeStep> steps;
    for (size_t i = first; i < first + count; ++i) {
        const auto found = std::ranges::find(plan, i, &AxisPlan::axis);
        const AxisPlan axis = found == plan.end() ? AxisPlan{i, dims[i], dims[i], 1.0f} : *found;
        LineTaps taps = linear_taps(node, axis);
        steps.push_back({i, axis.in, axis.out, taps.taps, std::move(taps.index), std::move(taps.weight), false});
    }
    return steps;
}

float cubic_weight(float distance, float a) {
    const float d = std::fabs(distance);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

static void infer_by_scales(const Shape& shape, const std::vector<size_t>& axes, const std::vector<float>& scales, Shape& out) {
    if (scales.size() != axes.size()) throw bad_input("{} scales, need {}, one per axis", scales.size(), axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        const Dim& dim = shape.dims[axes[i]];
        if (dim.known())
            out.dims[axes[i]] = Dim::of(plan_by_scales({dim.value}, {0}, {scales[i]})[0].out);
        else if (scales[i] == 1.0f)
            out.dims[axes[i]] = dim;
    }
}

static void infer_by_sizes(const InferCtx& ctx, const Shape& shape, const std::vector<size_t>& axes, const Tensor& sizes, Shape& out) {
    Dims dims(shape.rank(), 1);
    const bool fixed = ctx.text("keep_aspect_ratio_policy") == "stretch" ||
                       std::ranges::all_of(axes, [&](size_t axis) { return shape.dims[axis].known(); });
    if (!fixed) return;
    for (const size_t axis : axes)
        if (shape.dims[axis].known()) dims[axis] = shape.dims[axis].value;
    for (const AxisPlan& axis : plan_by_sizes(ctx, dims, axes, to_ints(sizes))) out.dims[axis.axis] = Dim::of(axis.out);
}

void infer_resize(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    if (!shape.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const auto axes = resized_axes(ctx, shape.rank());
    Shape out = shape;
    for (const size_t axis : axes) out.dims[axis] = Dim::unknown();
    const Tensor* scales = ctx.has_in(2) ? ctx.constant(2) : nullptr;
    const Tensor* sizes = ctx.has_in(3) ? ctx.constant(3) : nullptr;
    if (scales && scales->count() > 0) {
        infer_by_scales(shape, axes, to_floats(*scales), out);
    } else if (sizes && sizes->count() > 0) {
        infer_by_sizes(ctx, shape, axes, *sizes, out);
    } else if (const auto* dims = ctx.has_in(3) ? ctx.dims_value(3) : nullptr;
               dims && ctx.text("keep_aspect_ratio_policy") == "stretch" && dims->size() == axes.size()) {
        for (size_t i = 0; i < axes.size(); ++i) out.dims[axes[i]] = (*dims)[i];
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_resize(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    auto plan = plan_of(ctx, x.dims, ctx.in(2), ctx.in(3));
    if (crops(ctx)) set_roi(to_floats(ctx.need(1)), plan);
    const Kernel kernel = kernel_of(ctx);
    Dims dims = x.dims, target = x.dims;
    for (const AxisPlan& axis : plan) target[axis.axis] = axis.out;
    count_of(target);  // refuses sizes that overflow
    if (const auto steps = joint_steps(ctx, dims, ctx.in(2), ctx.in(3)); !steps.empty()) return mix_jointly(ctx, target, JointTaps(steps));
    if (x.dtype == DType::f64) {
        const auto out = resized(ctx, to_doubles(x), dims, plan, kernel);
        return ctx.give(0, from_doubles(x.dtype, dims, out));
    }
    if (kernel == Kernel::nearest && is_integer(x.dtype)) {
        const auto out = resized(ctx, to_ints(x), dims, plan, kernel);
        return ctx.give(0, from_ints(x.dtype, dims, out));
    }
    if (!is_integer(x.dtype)) {
        const auto out = resized(ctx, to_floats(x), dims, plan, kernel);
        return ctx.give(0, from_floats(x.dtype, dims, out));
    }
    const IntRange range = int_range(x.dtype);
    auto out = resized(ctx, to_doubles(x), dims, plan, kernel);
    for (double& item : out) item = std::clamp(std::trunc(item), static_cast<double>(range.min), static_cast<double>(range.max));
    ctx.give(0, from_doubles(x.dtype, dims, out));
}

}  // namespace quern
