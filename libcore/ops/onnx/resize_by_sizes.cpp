// Whether a Resize takes what one takes that is given its sizes alone.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// The same elements with the same weights, but for what rounding does.
bool same_taps(const ResizeStep& a, const ResizeStep& b) {
    constexpr float rounding = 1e-4f;
    std::map<int64_t, float> weights;
    for (size_t out = 0; out < static_cast<size_t>(a.out); ++out) {
        weights.clear();
        for (size_t k = 0; k < a.taps; ++k) weights[a.index[out * a.taps + k]] += a.weight[out * a.taps + k];
        for (size_t k = 0; k < b.taps; ++k) weights[b.index[out * b.taps + k]] -= b.weight[out * b.taps + k];
        if (std::ranges::any_of(weights, [](const auto& weight) { return std::fabs(weight.second) > rounding; })) return false;
    }
    return true;
}

// Of a step that is not there every element stays.
ResizeStep kept(const ResizeStep& other) {
    ResizeStep step{other.axis, other.in, other.in, 1, {}, {}, false};
    for (int64_t i = 0; i < other.in; ++i) step.index.push_back(i);
    step.weight.assign(step.index.size(), 1);
    return step;
}

const ResizeStep* step_of(std::span<const ResizeStep> steps, size_t axis) {
    const auto found = std::ranges::find(steps, axis, &ResizeStep::axis);
    return found == steps.end() ? nullptr : &*found;
}

bool same_steps(std::span<const ResizeStep> a, std::span<const ResizeStep> b, size_t rank) {
    for (size_t axis = 0; axis < rank; ++axis) {
        const ResizeStep *one = step_of(a, axis), *other = step_of(b, axis);
        if (!one && !other) continue;
        if (!same_taps(one ? *one : kept(*other), other ? *other : kept(*one))) return false;
    }
    return true;
}

// The same as what is given its sizes, and has no other attributes than how places are found?
bool resizes_as_by_sizes(const NodeView& node, const Dims& dims, const Tensor* scales, const Tensor* sizes) {
    Node plain = node.node();
    for (const auto* name : {"axes", "antialias", "exclude_outside", "keep_aspect_ratio_policy"}) plain.attrs.erase(name);
    if (node.text("coordinate_transformation_mode") == "pytorch_half_pixel")
        plain.attrs["coordinate_transformation_mode"] = std::string("half_pixel");
    const Dims out = resized_dims(node, dims, scales, sizes);
    constexpr int64_t longest = 1 << 16;  // of an axis whose places are compared one after the other
    if (std::ranges::max(dims) > longest || std::ranges::max(out) > longest) return false;
    const Tensor plain_sizes = from_ints(DType::i64, {static_cast<int64_t>(out.size())}, out);
    return same_steps(resize_steps(node, dims, nullptr, scales, sizes), resize_steps(NodeView(plain), dims, nullptr, nullptr, &plain_sizes),
                      dims.size());
}

}  // namespace

std::string beyond_sizes(const NodeView& node, const Shape& shape, const Tensor* scales, const Tensor* sizes) {
    if (node.text("coordinate_transformation_mode") == "tf_crop_and_resize") return "coordinates tf_crop_and_resize";
    const auto dims = shape.concrete();
    const auto& in = node.node().in;
    const bool by_scales = in.size() > 2 && in[2] != ValueId::none && (!scales || scales->count() > 0);
    const std::string coordinates = node.text("coordinate_transformation_mode"), policy = node.text("keep_aspect_ratio_policy");
    const bool smooths = node.integer("antialias") != 0;
    if (!by_scales && !smooths && node.integer("exclude_outside") == 0 && policy == "stretch" && coordinates != "pytorch_half_pixel")
        return {};
    const bool known = dims && !dims->empty() && (by_scales ? scales : sizes);
    if (known && resizes_as_by_sizes(node, *dims, scales, sizes)) return {};
    if (smooths) return "antialias = 1";
    if (by_scales) return "scales that are not those of the sizes";
    if (policy != "stretch") return "keep_aspect_ratio_policy " + policy;
    return known ? fmt::format("coordinates {} and a size of 1", coordinates) : "";
}

}  // namespace quern
