#include "libcore/ops/shared/window.h"

#include <algorithm>

namespace quern {
namespace {

constexpr int64_t limit = int64_t{1} << 31;  // keeps every product of two window numbers inside int64

void pad_same(Window& window, std::span<const Dim> spatial, bool lower) {
    for (size_t i = 0; i < window.rank(); ++i) {
        window.before[i] = window.after[i] = -1;
        if (!spatial[i].known()) continue;
        const int64_t in = spatial[i].value, stride = window.stride[i];
        const int64_t out = in / stride + (in % stride != 0);
        const int64_t total = std::max<int64_t>(0, (out - 1) * stride + (window.kernel[i] - 1) * window.dilation[i] + 1 - in);
        window.before[i] = lower ? total - total / 2 : total / 2;
        window.after[i] = total - window.before[i];
    }
}

}  // namespace

Dims window_numbers(const NodeView& node, std::string_view name, size_t count, int64_t fallback, int64_t min) {
    Dims items = node.integers(name);
    if (items.empty()) items.assign(count, fallback);
    if (items.size() != count) throw bad_input("attribute \"{}\" has {} numbers, need {}", name, items.size(), count);
    for (const int64_t item : items)
        if (item < min || item >= limit) throw bad_input("attribute \"{}\" has {}, need at least {}", name, item, min);
    return items;
}

Window window_of(const NodeView& node, std::span<const Dim> spatial, std::span<const int64_t> kernel) {
    const size_t rank = kernel.size();
    for (const int64_t length : kernel)
        if (length < 1 || length >= limit) throw bad_input("window is {}, need positive lengths", to_string(kernel));
    Window window{Dims(kernel.begin(), kernel.end()), window_numbers(node, "strides", rank, 1, 1),
                  window_numbers(node, "dilations", rank, 1, 1), Dims(rank, 0), Dims(rank, 0)};
    const std::string auto_pad = node.text("auto_pad");
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
        pad_same(window, spatial, auto_pad == "SAME_LOWER");
    } else if (auto_pad.empty() || auto_pad == "NOTSET") {
        const Dims pads = window_numbers(node, "pads", 2 * rank, 0, 0);
        std::copy_n(pads.begin(), rank, window.before.begin());
        std::copy_n(pads.begin() + static_cast<int64_t>(rank), rank, window.after.begin());
    } else if (auto_pad != "VALID") {
        throw bad_input("attribute \"auto_pad\" is \"{}\"", auto_pad);
    }
    return window;
}

Dim window_count(const Window& window, size_t i, const Dim& length, bool ceil) {
    const int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1, stride = window.stride[i];
    const bool same = window.before[i] < 0;  // SAME_UPPER or SAME_LOWER, not resolved yet
    if (!length.known()) return stride == 1 && (same || window.before[i] + window.after[i] == extent - 1) ? length : Dim::unknown();
    if (same) return Dim::unknown();
    if (length.value >= limit * limit / 2) throw bad_input("spatial length {} is too large", length.value);
    const int64_t room = length.value + window.before[i] + window.after[i] - extent;
    if (room < 0) throw bad_input("window of {} does not fit into padded length {}", extent, room + extent);
    int64_t count = room / stride + 1 + (ceil && room % stride != 0);
    if (ceil && (count - 1) * stride >= length.value + window.before[i]) --count;
    return Dim::of(count);
}

Type conv_type(const NodeView& node, DType dtype, const Shape& data, const Shape& filter) {
    if (!data.ranked || !filter.ranked) return Type::tensor(dtype);
    if (data.rank() < 3 || data.rank() != filter.rank())
        throw bad_input("data is {} and filter {}, need equal ranks of at least 3", to_string(data), to_string(filter));
    const int64_t group = node.integer("group");
    if (group < 1) throw bad_input("group is {}, need at least 1", group);
    const Dim &channels = data.dims[1], &taken = filter.dims[1], &made = filter.dims[0];
    if (channels.known() && taken.known() && (channels.value % group != 0 || channels.value / group != taken.value))
        throw bad_input("data has {} channels, filter takes {} in {} groups", channels.value, taken.value, group);
    if (made.known() && made.value % group != 0) throw bad_input("{} filters do not divide into {} groups", made.value, group);
    Shape out = Shape::of_rank(data.rank());
    out.dims[0] = data.dims[0];
    out.dims[1] = made;
    Dims kernel;
    for (size_t i = 2; i < filter.rank(); ++i) {
        if (!filter.dims[i].known()) return Type::tensor(dtype, std::move(out));
        kernel.push_back(filter.dims[i].value);
    }
    if (const Dims stated = node.integers("kernel_shape"); !stated.empty() && stated != kernel)
        throw bad_input("kernel_shape is {}, the filter has {}", to_string(stated), to_string(kernel));
    const std::span<const Dim> spatial = std::span(data.dims).subspan(2);
    const Window window = window_of(node, spatial, kernel);
    for (size_t i = 0; i < kernel.size(); ++i) out.dims[i + 2] = window_count(window, i, spatial[i]);
    return Type::tensor(dtype, std::move(out));
}

}  // namespace quern
