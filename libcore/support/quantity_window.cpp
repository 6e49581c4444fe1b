// Quantities of windows: kernels, strides, dilations, padding. One-dimensional windows have height 1.
#include <algorithm>
#include <array>

#include "libcore/support/observe.h"

namespace quern::support {
namespace {

using List = std::vector<Observed>;

// Something of the node's window; unknown if the node should have one and it is not known.
template <class Fn>
List of_window(const Graph& graph, const Node& node, const Fn& fact) {
    if (node.op->layout != Layout::spatial) return {};
    const auto window = node_window(graph, node);
    return one(window ? fact(*window) : Fact());
}

double at(const Dims& numbers, size_t from_last, double missing) {
    return numbers.size() > from_last ? static_cast<double>(numbers[numbers.size() - 1 - from_last]) : missing;
}

// Number `from_last` from the end of one member of the window: 0 is width, 1 height, 2 depth.
template <Dims Window::*member, size_t from_last>
List side(const Graph& graph, const Node& node, std::string_view) {
    return of_window(graph, node, [](const Window& window) { return number(at(window.*member, from_last, 1)); });
}

List kernel_area(const Graph& graph, const Node& node, std::string_view) {
    return of_window(graph, node, [](const Window& window) {
        double area = 1;
        for (const int64_t length : window.kernel) area *= static_cast<double>(length);
        return number(area);
    });
}

template <Dims Window::*member>
List greatest(const Graph& graph, const Node& node, std::string_view) {
    return of_window(graph, node, [](const Window& window) {
        return number(static_cast<double>(*std::max_element((window.*member).begin(), (window.*member).end())));
    });
}

List window_rank(const Graph& graph, const Node& node, std::string_view) {
    return of_window(graph, node, [](const Window& window) { return number(static_cast<double>(window.rank())); });
}

// "valid": none; "same": the output has ceil(length / stride) places and the padding is as even as can be; "explicit": any other.
List padding(const Graph& graph, const Node& node, std::string_view) {
    const auto inputs = inputs_of(graph, node);
    return of_window(graph, node, [&](const Window& window) -> Fact {
        const auto none = [](const Dims& pads) { return std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; }); };
        if (none(window.before) && none(window.after)) return std::string("valid");
        const std::vector<Dim> dims = inputs.empty() ? std::vector<Dim>{} : channels_last_dims(node, inputs[0].value->type.shape);
        if (dims.size() != window.rank() + 2) return std::string("explicit");
        for (size_t i = 0; i < window.rank(); ++i) {
            if (window.before[i] < 0) continue;  // auto_pad says so
            if (!dims[i + 1].known()) return Fact();
            const int64_t in = dims[i + 1].value, stride = window.stride[i], out = (in + stride - 1) / stride;
            const int64_t total = std::max<int64_t>(0, (out - 1) * stride + (window.kernel[i] - 1) * window.dilation[i] + 1 - in);
            if (window.before[i] != total / 2 || window.after[i] != total - total / 2) return std::string("explicit");
        }
        return std::string("same");
    });
}

List widest_padding(const Graph& graph, const Node& node, std::string_view) {
    return of_window(graph, node, [](const Window& window) {
        int64_t max = 0;
        for (const Dims* pads : {&window.before, &window.after})
            for (const int64_t pad : *pads) max = std::max(max, pad);
        return number(static_cast<double>(max));
    });
}

List group(const Graph&, const Node& node, std::string_view) {
    if (node.op->quant.weight < 0 || node.op->layout != Layout::spatial) return {};
    return one(number(static_cast<double>(NodeView(node).integer("group"))));
}

List depthwise(const Graph& graph, const Node& node, std::string_view) {
    if (node.op->quant.weight < 0 || node.op->layout != Layout::spatial || node.in.empty()) return {};
    const std::vector<Dim> dims = channels_last_dims(node, graph.value(node.in[0]).type.shape);
    if (dims.empty() || !dims.back().known()) return one(Fact());
    const int64_t groups = NodeView(node).integer("group");
    return one(yes_no(groups > 1 && groups == dims.back().value));
}

constexpr std::array window_table{
    Quantity{"kernel_height", "kernel height", "height of a window", side<&Window::kernel, 1>},
    Quantity{"kernel_width", "kernel width", "width of a window", side<&Window::kernel, 0>},
    Quantity{"kernel_side", "kernel side", "the greatest side of a window", greatest<&Window::kernel>},
    Quantity{"kernel_area", "kernel area", "product of a window's sides", kernel_area},
    Quantity{"stride_height", "stride over height", "", side<&Window::stride, 1>},
    Quantity{"stride_width", "stride over width", "", side<&Window::stride, 0>},
    Quantity{"stride", "stride", "the greatest stride", greatest<&Window::stride>},
    Quantity{"dilation", "dilation", "the greatest dilation", greatest<&Window::dilation>},
    Quantity{"spatial_rank", "spatial dims", "number of dims that a window slides over", window_rank},
    Quantity{"padding", "padding", "valid (none), same, or explicit", padding},
    Quantity{"widest_padding", "padding on a side", "the greatest padding of a side", widest_padding},
    Quantity{"group", "groups", "groups of a convolution", group},
    Quantity{"depthwise", "one group a channel", "yes for depthwise convolutions", depthwise},
};

}  // namespace

std::span<const Quantity> window_quantities() { return window_table; }

}  // namespace quern::support
