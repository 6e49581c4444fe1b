// Convolutions and pools: windows over one or two spatial dims, channels first or last.
#include <algorithm>
#include <array>

#include "libcore/opencl/product.h"

namespace quern::opencl {
namespace {

constexpr int64_t max_window = 1 << 20;

bool channels_last(const Node& node) { return node.text("layout", "NCHW") == "NHWC"; }

// A tensor [N, C, H, W] with its steps, in either order; of one spatial dim H is 1.
struct Planes {
    int64_t n = 0, c = 0;
    std::array<int64_t, 2> space{1, 1};
    int64_t step_n = 0, step_c = 0;
    std::array<int64_t, 2> step{0, 0};
};

Planes planes_of(const Node& node, const Dims& dims) {
    if (dims.size() != 3 && dims.size() != 4) throw refused("{} spatial dims, need 1 or 2", static_cast<int64_t>(dims.size()) - 2);
    const Dims steps = strides_of(dims);
    const bool last = channels_last(node);
    const size_t channel = last ? dims.size() - 1 : 1, first = last ? 1 : 2, rank = dims.size() - 2;
    Planes out{dims[0], dims[channel]};
    out.step_n = steps[0], out.step_c = steps[channel];
    for (size_t i = 0; i < rank; ++i) out.space[2 - rank + i] = dims[first + i], out.step[2 - rank + i] = steps[first + i];
    return out;
}

struct Window {
    std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1}, before{0, 0}, after{0, 0};
};

void read_pair(const Node& node, std::string_view name, size_t rank, int64_t min, std::array<int64_t, 2>& to) {
    const std::vector<int64_t> numbers = node.integers(name);
    if (numbers.empty()) return;
    if (numbers.size() != rank) throw broken("{} of node \"{}\" has {} numbers", name, node.name, numbers.size());
    for (size_t i = 0; i < rank; ++i) to[2 - rank + i] = numbers[i];
    for (const int64_t x : to)
        if (x < min || x > max_window) throw broken("{} of node \"{}\" is {}", name, node.name, x);
}

Window window_of(const Node& node, const Planes& x, size_t rank, std::array<int64_t, 2> kernel) {
    Window w;
    w.kernel = kernel;
    read_pair(node, "strides", rank, 1, w.stride);
    read_pair(node, "dilations", rank, 1, w.dilation);
    const std::string pad = node.text("auto_pad", "NOTSET");
    if (pad == "SAME_UPPER" || pad == "SAME_LOWER") {
        for (size_t i = 2 - rank; i < 2; ++i) {
            const int64_t out = (x.space[i] + w.stride[i] - 1) / w.stride[i];
            const int64_t total = std::max<int64_t>(0, (out - 1) * w.stride[i] + (w.kernel[i] - 1) * w.dilation[i] + 1 - x.space[i]);
            w.before[i] = pad == "SAME_LOWER" ? total - total / 2 : total / 2;
            w.after[i] = total - w.before[i];
        }
    } else if (pad == "NOTSET" || pad.empty()) {
        std::vector<int64_t> pads = node.integers("pads");
        if (pads.empty()) pads.resize(2 * rank);
        if (pads.size() != 2 * rank) throw broken("pads of node \"{}\" has {} numbers", node.name, pads.size());
        for (size_t i = 0; i < rank; ++i) w.before[2 - rank + i] = pads[i], w.after[2 - rank + i] = pads[i + rank];
        for (const int64_t p : pads)
            if (p < 0 || p > max_window) throw broken("pads of node \"{}\" has {}", node.name, p);
    } else if (pad != "VALID") {
        throw refused("auto_pad {}", pad);
    }
    return w;
}

void need_places(const Node& node, const Window& w, const Planes& x, const Planes& y, bool ceil) {
    for (size_t i = 0; i < 2; ++i) {
        const int64_t room = x.space[i] + w.before[i] + w.after[i] - (w.kernel[i] - 1) * w.dilation[i] - 1;
        if (room < 0) throw broken("the window of node \"{}\" does not fit", node.name);
        int64_t count = room / w.stride[i] + 1 + (ceil && room % w.stride[i] != 0 ? 1 : 0);
        if (ceil && (count - 1) * w.stride[i] >= x.space[i] + w.before[i]) --count;
        if (count != y.space[i]) throw broken("node \"{}\" has {} places along a dim, need {}", node.name, y.space[i], count);
    }
}

template <size_t count>
void append(std::vector<int32_t>& to, const std::array<int64_t, count>& numbers) {
    for (const int64_t x : numbers) to.push_back(static_cast<int32_t>(x));
}

// ---- convolutions ----

struct Conv {
    Planes x, y;
    Window window;
    int64_t group = 1, out_channels = 0, in_group = 0;
    size_t block = 1;   // channels an item
    bool last = false;  // filters as [M, kernel..., C/group]
    int64_t taps() const { return in_group * window.kernel[0] * window.kernel[1]; }
    int64_t out_group() const { return out_channels / group; }
};

Conv conv_of(Lowering& to, const Node& node, const Node& result) {
    to.need_operands(node, 2, 3);
    to.need_one_result(node);
    const Dims &w = to.in(node, 1).dims, &dims = to.in(node, 0).dims;
    Conv c;
    c.last = channels_last(node);
    c.x = planes_of(node, dims);
    c.y = planes_of(node, to.out(result).dims);
    const size_t rank = dims.size() - 2;
    if (w.size() != dims.size() || to.out(result).dims.size() != dims.size())
        throw broken("node \"{}\" has weights {}", node.name, text_of(w));
    c.out_channels = w[0], c.in_group = c.last ? w.back() : w[1];
    std::array<int64_t, 2> kernel{1, 1};
    for (size_t i = 0; i < rank; ++i) kernel[2 - rank + i] = w[(c.last ? 1 : 2) + i];
    for (const int64_t length : kernel)
        if (length < 1 || length > max_window) throw broken("node \"{}\" has weights {}", node.name, text_of(w));
    c.group = node.integer("group", 1);
    if (c.group < 1 || c.out_channels % c.group != 0 || c.in_group * c.group != c.x.c)
        throw broken("node \"{}\" has {} groups for {} and {} channels", node.name, c.group, c.x.c, c.out_channels);
    c.window = window_of(node, c.x, rank, kernel);
    need_places(node, c.window, c.x, c.y, false);
    if (c.y.n != c.x.n || c.y.c != c.out_channels) throw broken("node \"{}\" makes {}", node.name, text_of(to.out(result).dims));
    c.block = c.out_group() % 8 == 0 ? 8 : c.out_group() % 4 == 0 ? 4 : 1;
    if (!to.in(node, 1).constant) throw refused("its weights are not constant");
    return c;
}

// [M / block, C/group, kernel, block] of what the file has.
template <class T, class From>
std::vector<T> packed(const Conv& c, const std::vector<From>& from) {
    std::vector<T> out(from.size());
    const auto taps = static_cast<size_t>(c.taps()), channels = static_cast<size_t>(c.in_group),
               places = taps / std::max<size_t>(1, channels);
    for (size_t m = 0; m < static_cast<size_t>(c.out_channels); ++m)
        for (size_t i = 0; i < channels; ++i)
            for (size_t k = 0; k < places; ++k)
                out[(m / c.block * taps + i * places + k) * c.block + m % c.block] =
                    static_cast<T>(from[m * taps + (c.last ? k * channels + i : i * places + k)]);
    return out;
}

std::vector<int32_t> conv_numbers(const Conv& c, int32_t zero, bool biased, float low, float high) {
    std::vector<int32_t> out;
    append<3>(out, {c.out_channels, c.in_group, c.out_group()});
    append(out, c.x.space), append(out, c.y.space), append(out, c.window.kernel), append(out, c.window.stride);
    append(out, c.window.dilation), append(out, c.window.before);
    append<3>(out, {c.x.step_c, c.x.step[0], c.x.step[1]});
    append<3>(out, {c.y.step_c, c.y.step[0], c.y.step[1]});
    append<2>(out, {c.x.step_n, c.y.step_n});
    out.insert(out.end(), {zero, biased ? 1 : 0, bits(low), bits(high)});
    return out;
}

std::array<size_t, 3> items_of(const Conv& c) {
    return {static_cast<size_t>(c.y.space[0] * c.y.space[1]), static_cast<size_t>(c.out_channels) / c.block, static_cast<size_t>(c.x.n)};
}

std::vector<int64_t> centered(const Value& w) {
    std::vector<int64_t> codes = codes_of(w);
    const Encoding& e = *w.encoding;
    const size_t slice = codes.size() / e.zero.size();
    for (size_t i = 0; i < codes.size() && slice > 0; ++i) codes[i] -= e.zero[i / slice];
    return codes;
}

// Of each channel: what the zero point of the data takes of its sum.
std::vector<int64_t> channel_shifts(const Value& w, int64_t zero, size_t channels) {
    const std::vector<int64_t> codes = centered(w);
    std::vector<int64_t> out(channels);
    const size_t taps = codes.size() / channels;
    for (size_t i = 0; i < codes.size(); ++i) out[i / taps] -= zero * codes[i];
    return out;
}

void lower_conv_codes(Lowering& to, const Node& node) {
    if (node.has_input(2) && !to.in(node, 2).constant) throw refused("its bias is not constant");
    const SumResult result = sum_result(to, node);
    const Conv c = conv_of(to, node, node);
    const Value &x = to.in(node, 0), &w = to.in(node, 1);
    const Encoding &ex = *x.encoding, &ew = *w.encoding;
    if (!ex.per_tensor() || bits_of(ex.storage) > 16 || bits_of(ew.storage) > 16 || ew.axis > 0)
        throw refused("its operands are not codes with one scale, weights with one per channel");
    const bool wide = bits_of(ex.storage) + bits_of(ew.storage) > 16;
    const auto channels = static_cast<size_t>(c.out_channels);
    if (count_of(w.dims) == 0 || items_of(c)[0] * items_of(c)[2] == 0) throw refused("there is nothing in it");
    const std::vector<float> scales = product_scales(ex, ew, channels);
    const bool narrow =
        bits_of(ew.storage) <= 8 && ew.storage != QUERN_UINT8 && std::ranges::all_of(ew.zero, [](int64_t zero) { return zero == 0; });
    const bool fits = narrow || bits_of(ew.storage) <= 8;
    const Value* weights = &w;
    const auto count = static_cast<size_t>(count_of(w.dims));
    const Operand b =
        narrow ? to.constant("s8", w.dims, count, [c, weights] { return bytes_of_items(packed<int8_t>(c, centered(*weights))); })
        : fits ? to.constant("s16", w.dims, count * 2, [c, weights] { return bytes_of_items(packed<int16_t>(c, centered(*weights))); })
               : to.constant("i32", w.dims, count * 4, [c, weights] { return bytes_of_items(packed<int32_t>(c, centered(*weights))); });
    const int64_t zero = ex.zero[0];
    const Operand added = biases(to, node.has_input(2) ? &to.in(node, 2) : nullptr, scales, wide,
                                 [weights, zero, channels] { return channel_shifts(*weights, zero, channels); });
    to.add(node, "conv", result.y, {to.stored(node.inputs[0]), b, added, factors(to, scales, result.y)},
           fmt::format("{} -DCB={}", result.options(wide), c.block), conv_numbers(c, static_cast<int32_t>(zero), true, 0, 0), items_of(c));
}

Operand plain_bias(Lowering& to, const Node& node) {
    Operand bias = to.real_in(node, 2);
    if (bias.tag != "f32") throw refused("its bias is not constant, and not float32");
    return bias;
}

void lower_conv_real(Lowering& to, const Node& node) {
    float low = 0, high = 0;
    const Node* behind = to.net.integer ? nullptr : activation_behind(to, node, low, high);
    if (!behind) activation_limits(to.net, Node{.op = "Clip"}, low, high);
    const Operand x = to.real_in(node, 0), y = to.result(behind ? *behind : node);
    if (y.coded) throw refused("codes of a product of real numbers");
    if (behind) to.take(*behind);
    const Conv c = conv_of(to, node, node);
    to.real_in(node, 1);
    if (count_of(to.in(node, 1).dims) == 0 || y.count() == 0) throw refused("there is nothing in it");
    const Value *w = &to.in(node, 1), *bias = node.has_input(2) ? &to.in(node, 2) : nullptr;
    if (bias && count_of(bias->dims) != c.out_channels) throw broken("node \"{}\" has a bias {}", node.name, text_of(bias->dims));
    const Operand b = to.constant("f32", w->dims, static_cast<size_t>(count_of(w->dims)) * sizeof(float),
                                  [c, w] { return bytes_of_items(packed<float>(c, numbers_of(*w))); });
    const Operand added = bias && !bias->constant ? plain_bias(to, node)
                          : bias                  ? to.constant("f32", bias->dims, static_cast<size_t>(c.out_channels) * sizeof(float),
                                                                [bias] { return bytes_of_items(numbers_of(*bias)); })
                                                  : b;  // not read
    to.add(node, "conv", y, {x, b, added}, fmt::format("-DCB={}", c.block), conv_numbers(c, 0, bias != nullptr, low, high), items_of(c));
}

void lower_conv(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 3);
    const bool codes = to.net.integer && to.in(node, 0).encoding && to.in(node, 1).encoding;
    codes ? lower_conv_codes(to, node) : lower_conv_real(to, node);
}

// ---- pools ----

void lower_pool(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    to.need_one_result(node);
    const Operand a = to.real_in(node, 0), result = to.result(node);
    const Planes x = planes_of(node, a.dims), y = planes_of(node, result.dims);
    const size_t rank = a.dims.size() - 2;
    if (result.dims.size() != a.dims.size() || x.n != y.n || x.c != y.c)
        throw broken("node \"{}\" makes {}", node.name, text_of(result.dims));
    std::array<int64_t, 2> kernel{1, 1};
    if (node.integers("kernel_shape").empty()) throw broken("node \"{}\" has no kernel_shape", node.name);
    read_pair(node, "kernel_shape", rank, 1, kernel);
    const Window w = window_of(node, x, rank, kernel);
    need_places(node, w, x, y, node.integer("ceil_mode", 0) != 0);
    std::vector<int32_t> numbers;
    append(numbers, x.space), append(numbers, y.space), append(numbers, w.kernel), append(numbers, w.stride), append(numbers, w.dilation);
    append(numbers, w.before), append(numbers, w.after);
    append<4>(numbers, {node.integer("count_include_pad", 0) != 0, x.step_c, x.step[0], x.step[1]});
    append<3>(numbers, {y.step_c, y.step[0], y.step[1]});
    append<4>(numbers, {x.c, x.step_n, y.step_n, x.n * x.c});
    if (result.count() == 0 || a.count() == 0) throw refused("there is nothing in it");
    to.add(node, "pool", result, {a}, node.op == "MaxPool" ? "-DMAX" : "", std::move(numbers),
           {static_cast<size_t>(y.space[0] * y.space[1]), static_cast<size_t>(x.n * x.c), 1});
}

constexpr OpRow table[] = {{"Conv", lower_conv}, {"MaxPool", lower_pool}, {"AveragePool", lower_pool}};

}  // namespace

std::span<const OpRow> window_rows() { return table; }

}  // namespace quern::opencl
