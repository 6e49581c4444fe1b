// Operators that move elements, choose them, and put neighbours together.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "formats/tflite/write/expand.h"
#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/window.h"
#include "libcore/passes/shared.h"
#include "libcore/passes/taken.h"

namespace quern::tflite_format {
namespace {

Dims counted(int64_t count) {
    Dims out(static_cast<size_t>(count));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

// ---- DepthToSpace --------------------------------------------------------------------------------------------------------------------

// The values between a convolution and the node, of which nobody else reads any, and the convolution: where all that is between treats
// every channel alike, its channels may change places.
std::vector<ValueId> behind_convolution(const Graph& graph, ValueId x) {
    std::vector<ValueId> between;
    const auto states = states_of(graph);
    const auto is_number = [&](ValueId id) {
        return id == ValueId::none || (graph.value(id).constant() && count_of(stored_dims(graph.value(id))) == 1);
    };
    while (graph.only_reader(x) != NodeId::none && graph.value(x).producer != NodeId::none) {
        if (std::ranges::any_of(states, [&](const auto& state) { return state.second == x; })) return {};
        between.push_back(x);
        const Node& node = graph.node(graph.value(x).producer);
        if (node.is(ops::Conv)) return between;
        if (!has(node.op->traits, Trait::elementwise) || !std::all_of(node.in.begin() + 1, node.in.end(), is_number)) return {};
        x = node.in[0];
    }
    return {};
}

// The convolution before the node makes its channels in that order.
bool reordered_before(Spelling& at, const Dims& places) {
    Graph& graph = at.graph();
    const std::vector<ValueId> between = behind_convolution(graph, at.in(0));
    if (between.empty()) return false;
    Node& conv = graph.node(graph.value(between.back()).producer);
    const bool biased = conv.in.size() > 2 && conv.in[2] != ValueId::none;
    if (NodeView(conv).integer("group") != 1 || !graph.value(conv.in[1]).constant() || (biased && !graph.value(conv.in[2]).constant()))
        return false;
    const ValueId filter = taken(at, conv.in[1], 0, places), bias = biased ? taken(at, conv.in[2], 0, places) : ValueId::none;
    if (filter == ValueId::none || (biased && bias == ValueId::none)) return false;
    conv.in[1] = filter;
    if (biased) conv.in[2] = bias;
    for (const ValueId id : between) graph.rename(id, graph.unique_name(graph.value(id).name + "/blocks"));
    return true;
}

// Of channels-last data, as it is read, and put together again where it is written.
ValueId regrouped(Spelling& at, ValueId x, const Dims& apart, const Dims& made) {
    const ValueId last = at.moved(ops::Transpose, {x}, {{"perm", Dims{0, 2, 3, 1}}});
    const ValueId turned = at.moved(ops::Transpose, {at.shaped(last, apart)}, {{"perm", Dims{0, 1, 3, 2, 4, 5}}});
    return at.moved(ops::Transpose, {at.shaped(turned, made)}, {{"perm", Dims{0, 3, 1, 2}}});
}

bool has_kernel(Spelling& at) {
    const auto& encoding = at.graph().value(at.in(0)).enc;
    return !encoding || bits_of(encoding->storage) == 8;
}

// Channels [C, block, block] are brought to [block, block, C], which DEPTH_TO_SPACE takes.
bool depth_to_space(Spelling& at) {
    const auto dims = at.dims();
    const bool deep_first = at.view.text("mode") == "DCR";
    if (!dims || dims->size() != 4 || (deep_first && !has_kernel(at))) return false;
    const int64_t block = at.view.integer("blocksize"), channels = (*dims)[1] / block / block, height = (*dims)[2], width = (*dims)[3];
    ValueId x = at.in(0);
    if (!deep_first) {
        Dims places;
        for (int64_t i = 0; i < block * block; ++i)
            for (int64_t c = 0; c < channels; ++c) places.push_back(c * block * block + i);
        if (!reordered_before(at, places)) x = at.gathered(x, 1, places);
    }
    return at.end(
        regrouped(at, x, {(*dims)[0], height, width, block, block, channels}, {(*dims)[0], height * block, width * block, channels}));
}

bool space_to_depth(Spelling& at) {
    const auto dims = at.dims();
    if (!dims || dims->size() != 4 || !has_kernel(at)) return false;
    const int64_t block = at.view.integer("blocksize"), height = (*dims)[2] / block, width = (*dims)[3] / block;
    return at.end(regrouped(at, at.in(0), {(*dims)[0], height, block, width, block, (*dims)[1]},
                            {(*dims)[0], height, width, block * block * (*dims)[1]}));
}

// ---- Resize --------------------------------------------------------------------------------------------------------------------------

std::optional<std::vector<ResizeStep>> steps_of(Spelling& at) {
    const auto dims = at.dims();
    const auto scales = at.plain(2), sizes = at.plain(3);
    constexpr int64_t longest = 1 << 16;
    if (!dims || (!scales && !sizes) || std::ranges::any_of(*dims, [](int64_t dim) { return dim < 1 || dim > longest; }))
        return std::nullopt;
    if (at.view.text("coordinate_transformation_mode") == "tf_crop_and_resize") return std::nullopt;
    const auto made = resized_dims(at.view, *dims, scales ? &*scales : nullptr, sizes ? &*sizes : nullptr);
    if (std::ranges::any_of(made, [](int64_t dim) { return dim < 1 || dim > longest; })) return std::nullopt;
    return resize_steps(at.view, *dims, nullptr, scales ? &*scales : nullptr, sizes ? &*sizes : nullptr);
}

// What the formats' operators change: two dims of pictures.
bool of_pictures(const std::vector<ResizeStep>& steps, size_t rank) {
    const auto within = [&](size_t first) {
        return std::ranges::all_of(steps, [&](const ResizeStep& step) { return step.axis == first || step.axis == first + 1; });
    };
    return rank == 4 && (within(1) || within(2));
}

struct NearestForm {
    const char *coordinates, *rounding;
};
// How RESIZE_NEAREST_NEIGHBOR finds places: by nothing, half_pixel_centers and align_corners.
constexpr std::array nearest_forms{NearestForm{"asymmetric", "floor"}, NearestForm{"half_pixel", "round_prefer_ceil"},
                                   NearestForm{"align_corners", "round_prefer_ceil"}};

bool same_places(const std::vector<ResizeStep>& a, const std::vector<ResizeStep>& b) {
    return std::ranges::equal(a, b, [](const ResizeStep& one, const ResizeStep& other) {
        return one.axis == other.axis && one.taps == other.taps && one.index == other.index;
    });
}

bool resize_nearest(Spelling& at, const std::vector<ResizeStep>& steps) {
    if (std::ranges::any_of(steps, [](const ResizeStep& step) { return step.taps != 1; })) return false;
    const Dims dims = *at.dims();
    Dims made = dims;
    for (const ResizeStep& step : steps) made[step.axis] = step.out;
    const Tensor sizes = Tensor::vector<int64_t>(made);
    for (const NearestForm& form : nearest_forms) {
        Node plain = at.node;
        plain.attrs = {{"mode", std::string("nearest")},
                       {"coordinate_transformation_mode", std::string(form.coordinates)},
                       {"nearest_mode", std::string(form.rounding)}};
        if (!of_pictures(steps, dims.size()) || !same_places(steps, resize_steps(NodeView(plain), dims, nullptr, nullptr, &sizes)))
            continue;
        if (identical(at.node.attrs, plain.attrs) && !at.has(2)) return false;  // as it is
        return at.end(at.add(ops::Resize, {at.in(0), ValueId::none, ValueId::none, at.constant(sizes, "sizes")}, plain.attrs));
    }
    ValueId x = at.in(0);
    for (const ResizeStep& step : steps) x = at.gathered(x, step.axis, step.index);
    return at.end(x);
}

// Along each axis a product with the weights of its places.
bool resize_by_products(Spelling& at, const std::vector<ResizeStep>& steps) {
    constexpr int64_t largest = 1 << 22;  // elements of such a matrix
    const bool outside = std::ranges::any_of(steps, [](const ResizeStep& step) { return step.outside || step.in * step.out > largest; });
    if (outside) return false;
    ValueId x = at.in(0);
    const auto last = static_cast<int64_t>(at.rank()) - 1;
    for (const ResizeStep& step : steps) {
        std::vector<float> weights(static_cast<size_t>(step.in * step.out), 0.0f);
        for (size_t out = 0; out < static_cast<size_t>(step.out); ++out)
            for (size_t k = out * step.taps; k < (out + 1) * step.taps; ++k)
                weights[static_cast<size_t>(step.index[k] * step.out) + out] += step.weight[k];
        const ValueId matrix = at.constant(from_floats(at.dtype_of(x), {step.in, step.out}, weights), "weights");
        Dims order = counted(last + 1);
        std::swap(order[step.axis], order.back());
        const Attrs perm{{"perm", order}};
        const bool turns = static_cast<int64_t>(step.axis) != last;
        x = at.add(ops::MatMul, {turns ? at.moved(ops::Transpose, {x}, perm) : x, matrix});
        if (turns) x = at.add(ops::Transpose, {x}, perm);
    }
    return at.end(x);
}

bool resize(Spelling& at) {
    const auto steps = steps_of(at);
    if (!steps || steps->empty() || !is_float(at.dtype_of(at.in(0)))) return false;
    const std::string mode = at.view.text("mode"), where = at.view.text("coordinate_transformation_mode");
    if (mode == "nearest") return resize_nearest(at, *steps);
    const auto scales = at.plain(2), sizes = at.plain(3);
    const bool said = mode == "linear" && where != "half_pixel_symmetric" && of_pictures(*steps, at.rank()) &&
                      beyond_sizes(at.view, at.type_of(at.in(0)).shape, scales ? &*scales : nullptr, sizes ? &*sizes : nullptr).empty();
    return !said && resize_by_products(at, *steps);
}

// ---- Pad --------------------------------------------------------------------------------------------------------------------------------

// Borders that repeat elements: which ones is known.
bool pad(Spelling& at) {
    const std::string mode = at.view.text("mode");
    const auto dims = at.dims(), pads = at.ints(1);
    if ((mode != "edge" && mode != "wrap") || !dims || !pads) return false;
    const auto given = at.has(3) ? at.ints(3) : std::optional(counted(static_cast<int64_t>(dims->size())));
    if (!given || pads->size() != 2 * given->size()) return false;
    ValueId x = at.in(0);
    for (size_t i = 0; i < given->size(); ++i) {
        const size_t axis = normal_axis((*given)[i], dims->size());
        const int64_t before = (*pads)[i], after = (*pads)[i + given->size()], length = (*dims)[axis];
        if (length < 1 || before > length * 64 || after > length * 64) return false;
        if (before == 0 && after == 0) continue;
        Dims places;
        for (int64_t place = -before; place < length + after; ++place)
            places.push_back(mode == "edge" ? std::clamp<int64_t>(place, 0, length - 1) : ((place % length) + length) % length);
        x = at.gathered(x, axis, places);
    }
    return x != at.in(0) && at.end(x);
}

// ---- pools ---------------------------------------------------------------------------------------------------------------------------

struct PoolAxis {
    size_t axis;
    int64_t kernel, stride, dilation, before, after, length, count;
    int64_t reach() const { return (kernel - 1) * dilation + 1; }
    // What the last window needs behind the data.
    int64_t behind() const { return std::max<int64_t>(0, (count - 1) * stride + reach() - length - before); }
    // Is the padding what the formats call SAME?
    bool same() const {
        const int64_t whole = (length + stride - 1) / stride, total = std::max<int64_t>((whole - 1) * stride + reach() - length, 0);
        return count == whole && before == total / 2 && before + behind() == total;
    }
    // How many numbers a mean at `place` is of.
    int64_t taken(int64_t place, bool with_padding) const {
        const int64_t low = with_padding ? 0 : before, high = before + length + (with_padding ? after : 0);
        int64_t number = 0;
        for (int64_t k = 0; k < kernel; ++k) {
            const int64_t at = place * stride + k * dilation;
            number += at >= low && at < high ? 1 : 0;
        }
        return number;
    }
};

std::vector<PoolAxis> pool_axes(Spelling& at, const Dims& dims) {
    const size_t first = at.channels_first() ? 2 : 1;
    std::vector<Dim> space;
    for (size_t i = 0; i + 2 < dims.size(); ++i) space.push_back(Dim::of(dims[first + i]));
    const Window window = window_of(at.view, space, at.view.integers("kernel_shape"));
    std::vector<PoolAxis> out;
    for (size_t i = 0; i < space.size(); ++i)
        out.push_back({first + i, window.kernel[i], window.stride[i], window.dilation[i], window.before[i], window.after[i],
                       dims[first + i], window_count(window, i, space[i], at.view.integer("ceil_mode") != 0).value});
    return out;
}

// The data between borders that its windows reach into.
ValueId framed(Spelling& at, const std::vector<PoolAxis>& axes, ValueId x, double fill) {
    const size_t rank = at.rank();
    Dims around(2 * rank, 0);
    for (const PoolAxis& a : axes) {
        around[a.axis] = a.before;
        around[rank + a.axis] = a.behind();
    }
    if (std::ranges::all_of(around, [](int64_t pad) { return pad == 0; })) return x;
    return at.moved(ops::Pad, {x, at.integers(around, "pads"), at.number(at.dtype_of(x), fill)});
}

// Along each axis the elements of a window, one place of all windows after the other.
ValueId windows(Spelling& at, const std::vector<PoolAxis>& axes, ValueId x, bool mean) {
    for (const PoolAxis& a : axes) {
        const auto axis = static_cast<int64_t>(a.axis);
        Builder::Values parts;
        for (int64_t k = 0; k < a.kernel; ++k) {
            const int64_t first = k * a.dilation, last = first + (a.count - 1) * a.stride + 1;
            parts.push_back(at.moved(ops::Slice, {x, at.integers({first}, "starts"), at.integers({last}, "ends"),
                                                  at.integers({axis}, "axes"), at.integers({a.stride}, "steps")}));
        }
        x = parts.size() == 1 ? parts[0] : mean ? at.add(ops::Sum, parts) : at.moved(ops::Max, parts);
    }
    return x;
}

// One divided by how many numbers each mean is of.
ValueId shares(Spelling& at, const std::vector<PoolAxis>& axes) {
    const bool with_padding = at.view.integer("count_include_pad") != 0;
    std::vector<double> items{1};
    Dims dims(at.rank(), 1);
    for (const PoolAxis& a : axes) {
        std::vector<double> more;
        for (const double item : items)
            for (int64_t place = 0; place < a.count; ++place) more.push_back(item / static_cast<double>(a.taken(place, with_padding)));
        items = std::move(more);
        dims[a.axis] = a.count;
    }
    const bool alike = std::ranges::all_of(items, [&](double item) { return item == items[0]; });
    return alike ? at.number(at.dtype_of(at.in(0)), items[0]) : at.constant(from_doubles(at.dtype_of(at.in(0)), dims, items), "shares");
}

// AVERAGE_POOL_2D leaves out padding if it is SAME; what counts is an operator of its own before it.
bool is_said_mean(Spelling& at, const std::vector<PoolAxis>& axes) {
    const bool pads = std::ranges::any_of(axes, [](const PoolAxis& a) { return a.before > 0 || a.after > 0; });
    const bool padded = std::ranges::any_of(axes, [](const PoolAxis& a) { return a.before > 0 || a.behind() > 0; });
    if (pads && at.view.integer("count_include_pad") != 0)
        return std::ranges::none_of(axes, [](const PoolAxis& a) { return a.behind() > a.after; });
    return !padded || std::ranges::all_of(axes, &PoolAxis::same);
}

// The axes of windows of which each element may be a node.
std::vector<PoolAxis> short_pool_axes(Spelling& at) {
    const auto dims = at.dims();
    const Dims kernel = at.view.integers("kernel_shape");
    constexpr int64_t longest = 64;
    if (!dims || dims->size() < 3 || kernel.size() + 2 != dims->size()) return {};
    if (std::ranges::any_of(kernel, [](int64_t k) { return k > longest; })) return {};
    return pool_axes(at, *dims);
}
bool has_gaps(const std::vector<PoolAxis>& axes) {
    return std::ranges::any_of(axes, [](const PoolAxis& a) { return a.dilation != 1; });
}

// Windows with gaps, over more dims than two, or whose padding has no name.
template <bool mean>
bool pool(Spelling& at) {
    const std::vector<PoolAxis> axes = short_pool_axes(at);
    if (axes.empty() || (at.node.out.size() > 1 && at.node.out[1] != ValueId::none)) return false;
    if (!has_gaps(axes) && at.rank() < 5 && (!mean || is_said_mean(at, axes))) return false;
    const ValueId data = framed(at, axes, at.in(0), mean ? 0.0 : -static_cast<double>(std::numeric_limits<float>::max()));
    const ValueId made = windows(at, axes, data, mean);
    return at.end(mean ? at.add(ops::Mul, {made, shares(at, axes)}) : made);
}

// The root of the sum of powers of a window: what is a mean of the formats', too, by that and the number of elements.
bool lp_pool(Spelling& at) {
    const std::vector<PoolAxis> axes = short_pool_axes(at);
    const int64_t p = at.view.integer("p");
    if (axes.empty() || p < 1) return false;
    const auto power = [p](const decompose::Term& x) {
        return p == 1 ? of(ops::Abs, x) : p == 2 ? x * x : of(ops::Pow, of(ops::Abs, x), static_cast<double>(p));
    };
    const auto root = [p](const decompose::Term& x) { return p == 1 ? x : p == 2 ? of(ops::Sqrt, x) : of(ops::Pow, x, 1.0 / p); };
    const decompose::Term powers = power(at.x());
    const bool padded = std::ranges::any_of(axes, [](const PoolAxis& a) { return a.before > 0 || a.behind() > 0; });
    if (padded || has_gaps(axes) || at.rank() > 4) return at.end(root({&at, windows(at, axes, framed(at, axes, powers, 0), true)}));
    double count = 1;
    for (const PoolAxis& a : axes) count *= static_cast<double>(a.kernel);
    Attrs attrs = at.node.attrs;
    attrs.erase("p");
    return at.end(root({&at, at.add(ops::AveragePool, {powers}, std::move(attrs))}) * portable::pow(count, 1.0 / static_cast<double>(p)));
}

constexpr std::array table{
    ExpandRow{ops::AveragePool, pool<true>},
    ExpandRow{ops::DepthToSpace, depth_to_space},
    ExpandRow{ops::LpPool, lp_pool},
    ExpandRow{ops::MaxPool, pool<false>},
    ExpandRow{ops::Pad, pad},
    ExpandRow{ops::Resize, resize},
    ExpandRow{ops::SpaceToDepth, space_to_depth},
};

}  // namespace

std::span<const ExpandRow> expand_place_rows() { return table; }

}  // namespace quern::tflite_format
