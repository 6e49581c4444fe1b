#include "libcore/ops/shared/integer_product.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/product_sums.h"
#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern {
namespace {

// Do sums of `depth` products fit 32 bits, and the factors 16?
bool fits(std::span<const int32_t> a, std::span<const int32_t> b, int64_t depth) {
    const auto reach = [](std::span<const int32_t> items) {
        int64_t most = 0;
        for (const int32_t item : items) most = std::max(most, std::abs(int64_t{item}));
        return static_cast<double>(most);
    };
    const double x = reach(a), w = reach(b);
    return x <= INT16_MAX && w <= INT16_MAX && x * w * static_cast<double>(depth) <= INT32_MAX;
}

// Codes as T, channels behind the space or before it; `last`: where they are.
template <class T>
std::vector<T> arranged(std::span<const int32_t> codes, const Dims& dims, bool last, bool want_last = true) {
    std::vector<T> out(codes.begin(), codes.end());
    if (last == want_last) return out;
    const Dims first = last ? to_channels_first(dims) : dims;
    const int64_t pixels = count_of(space_of(first));
    std::vector<T> moved(out.size());
    swap_axes(out.data(), moved.data(), first[0], last ? pixels : first[1], last ? first[1] : pixels);
    return moved;
}

struct Sides {
    const Dims &x_dims, &w_dims;
    std::span<const int32_t> x, w;
    bool last;
    Spatial x_steps, w_steps;  // channels last

    Sides(const Dims& x_dims_, std::span<const int32_t> x_, const Dims& w_dims_, std::span<const int32_t> w_, bool last_)
        : x_dims(x_dims_), w_dims(w_dims_), x(x_), w(w_), last(last_), x_steps(moved(x_dims), true, 3), w_steps(moved(w_dims), true, 3) {}

    template <class T, class Kernel>
    void run(const Kernel& kernel) const {
        const auto a = arranged<T>(x, x_dims, last), b = arranged<T>(w, w_dims, last);
        kernel(a.data(), b.data());
    }
    // The taps of a row side by side as channels of one: zeros are laid beside the rows, which the kernel then need not look for.
    template <class T, class Sum>
    void run_rows(conv_t s, Sum* y) const {
        const bool dense = s.groups == 1;
        const auto from = arranged<T>(x, x_dims, last, dense), filter = arranged<T>(w, w_dims, last);
        const int64_t items = dense ? x_steps.channels : 1, width = padded_width(s);
        const int64_t rows = static_cast<int64_t>(from.size()) / (s.in_w * items), taken = std::min<int64_t>(s.in_w, width - s.pad_w);
        std::vector<T> padded(static_cast<size_t>(rows * width * items), 0);
        for (int64_t row = 0; row < rows && taken > 0; ++row)
            std::copy_n(from.data() + row * s.in_w * items, taken * items, padded.data() + (row * width + s.pad_w) * items);
        const int64_t plane = s.in_h * width * items;
        s.in_channels *= s.kernel_w;
        s.kernel_w = 1, s.pad_w = 0, s.in_w = to_int32(width);
        s.x_c = 1, s.x_w = to_int32(items), s.x_h = to_int32(width * items);
        s.x_g = to_int32(plane), s.x_n = to_int32(dense ? plane : s.groups * plane);
        conv(padded.data(), filter.data(), y, &s);
    }
    template <class T, class Sum>
    void convolve(const conv_t& s, Sum* y) const {
        const bool side_by_side = s.kernel_w > 1 && s.dilation_w == 1 && (s.groups == 1 || s.in_channels == 1);
        if (side_by_side && s.in_channels > 0 && padded_width(s) <= 4 * int64_t{s.in_w}) return run_rows<T>(s, y);
        run<T>([&](const T* a, const T* b) { conv(a, b, y, &s); });
    }

   private:
    static int64_t padded_width(const conv_t& s) { return (s.out_w - 1) * int64_t{s.stride_w} + s.kernel_w; }
    Dims moved(const Dims& dims) const { return last ? dims : to_channels_last(dims); }
};

template <class Acc>
std::vector<Acc> wrapped(std::vector<int64_t> sums) {
    if constexpr (sizeof(Acc) == sizeof(int64_t)) return sums;
    return {sums.begin(), sums.end()};
}

}  // namespace

std::vector<int32_t> centered(const Tensor& codes, std::span<const int64_t> zeros, size_t axis) {
    const auto wide = to_ints(codes);
    std::vector<int32_t> out(wide.size());
    if (zeros.size() == 1) {
        for (size_t i = 0; i < wide.size(); ++i) out[i] = static_cast<int32_t>(wide[i] - zeros[0]);
        return out;
    }
    if (axis >= codes.dims.size() || static_cast<int64_t>(zeros.size()) != codes.dims[axis])
        throw bad_input("{} zero points for {}", zeros.size(), to_string(codes.dims));
    const auto inner = static_cast<size_t>(strides_of(codes.dims)[axis]);
    for (size_t i = 0; i < wide.size(); ++i) out[i] = static_cast<int32_t>(wide[i] - zeros[i / inner % zeros.size()]);
    return out;
}

std::vector<int32_t> centered_input(EvalCtx& ctx, size_t i) {
    const Encoding& encoding = *ctx.in_encoding(i);
    return centered(ctx.need(i), zeros_of(encoding), static_cast<size_t>(std::max(encoding.axis, 0)));
}

template <class Acc>
std::vector<Acc> integer_conv(const NodeView& node, const Dims& x_dims, std::span<const int32_t> x, const Dims& w_dims,
                              std::span<const int32_t> w, Dims& out, bool last) {
    const auto first = [last](const Dims& dims) { return Shape::of(last ? to_channels_first(dims) : dims); };
    out = conv_type(node, DType::i32, first(x_dims), first(w_dims)).shape.concrete().value();
    if (last) out = to_channels_last(out);
    std::vector<Acc> sums(static_cast<size_t>(count_of(out)), 0);
    if (sums.empty()) return sums;
    const Sides sides(x_dims, x, w_dims, w, last);
    const Spatial made(out, last, 3);
    const int64_t groups = node.integer("group"), depth = count_of(w_dims) / w_dims[0];
    std::vector<int64_t> wide;
    if (sides.x_steps.rank == 3) {
        volume_t s = volume_sizes(sides.x_steps, made, window_over(node, sides.x_steps, sides.w_steps.space()), groups);
        set_filter(s, sides.w_steps, false);
        wide.resize(sums.size());
        sides.run<int32_t>([&](const int32_t* a, const int32_t* b) { conv_volume(a, b, wide.data(), &s); });
        return wrapped<Acc>(std::move(wide));
    }
    conv_t s = conv_sizes(sides.x_steps, made, window_in_2d(node, sides.x_steps, sides.w_steps.space()), groups);
    set_filter(s, sides.w_steps, false);
    if constexpr (sizeof(Acc) == sizeof(int32_t))
        if (fits(x, w, depth)) {
            sides.convolve<int16_t>(s, sums.data());
            return sums;
        }
    wide.resize(sums.size());
    sides.convolve<int32_t>(s, wide.data());
    return wrapped<Acc>(std::move(wide));
}
template std::vector<int32_t> integer_conv(const NodeView&, const Dims&, std::span<const int32_t>, const Dims&, std::span<const int32_t>,
                                           Dims&, bool);
template std::vector<int64_t> integer_conv(const NodeView&, const Dims&, std::span<const int32_t>, const Dims&, std::span<const int32_t>,
                                           Dims&, bool);

Dims transposed_space(const NodeView& node, const Dims& space, const Dims& kernel) {
    const Dims strides = window_numbers(node, "strides", 2, 1, 1), pads = window_numbers(node, "pads", 4, 0, 0),
               extra = window_numbers(node, "output_padding", 2, 0, 0);
    Dims out(2);
    for (size_t i = 0; i < 2; ++i) {
        out[i] = (space[i] - 1) * strides[i] + kernel[i] + extra[i] - pads[i] - pads[i + 2];
        if (out[i] < 0) throw bad_input("the padding is larger than the result");
    }
    return out;
}

std::vector<int64_t> integer_conv_transpose(const NodeView& node, const Dims& x_dims, std::span<const int32_t> x, const Dims& w_dims,
                                            std::span<const int32_t> w, Dims& out, bool last) {
    const Dims strides = window_numbers(node, "strides", 2, 1, 1), pads = window_numbers(node, "pads", 4, 0, 0);
    if (x_dims.size() != 4 || w_dims.size() != 4) throw bad_input("operands are {} and {}", to_string(x_dims), to_string(w_dims));
    const Sides sides(x_dims, x, w_dims, w, last);
    if (sides.x_steps.channels != sides.w_steps.batch) throw bad_input("operands are {} and {}", to_string(x_dims), to_string(w_dims));
    const Dims space = sides.x_steps.space(), kernel = sides.w_steps.space();
    const Dims made = transposed_space(node, space, kernel);
    out = {x_dims[0], sides.w_steps.channels, made[0], made[1]};
    if (last) out = to_channels_last(out);
    conv_t s = conv_sizes(sides.x_steps, Spatial(out, last), {kernel, strides, {1, 1}, {pads[0], pads[1]}, {}});
    set_filter(s, sides.w_steps, true);
    std::vector<int64_t> sums(static_cast<size_t>(count_of(out)), 0);
    sides.run<int32_t>([&](const int32_t* a, const int32_t* b) { conv_transposed(a, b, sums.data(), &s); });
    return sums;
}

bool is_plain_conv_transpose(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const Shape& w = graph.value(node.in[1]).type.shape;
    return w.ranked && w.rank() == 4 && view.integer("group") == 1 && view.text("auto_pad") == "NOTSET" && !view.has("output_shape") &&
           !view.has("dilations");
}

ProductShape product_shape(Dims a, Dims b) {
    if (a.empty() || b.empty()) throw bad_input("a scalar in a matrix product");
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    ProductShape shape;
    shape.m = a[a.size() - 2];
    shape.k = a.back();
    shape.n = b.back();
    if (b[b.size() - 2] != shape.k) throw bad_input("matrices {} and {} do not multiply", to_string(a), to_string(b));
    shape.a_batch.assign(a.begin(), a.end() - 2);
    shape.b_batch.assign(b.begin(), b.end() - 2);
    shape.batch = broadcast(shape.a_batch, shape.b_batch);
    shape.out = shape.batch;
    if (!row) shape.out.push_back(shape.m);
    if (!column) shape.out.push_back(shape.n);
    return shape;
}

Shape product_shape(Shape a, Shape b) {
    if (!a.ranked || !b.ranked) return {};
    if (a.dims.empty() || b.dims.empty()) throw bad_input("a scalar in a matrix product");
    const bool row = a.rank() == 1, column = b.rank() == 1;
    if (row) a.dims.insert(a.dims.begin(), Dim::of(1));
    if (column) b.dims.push_back(Dim::of(1));
    const Dim &k = a.dims.back(), &other = b.dims[b.rank() - 2];
    if (k.known() && other.known() && k.value != other.value)
        throw bad_input("matrices {} and {} do not multiply", to_string(a), to_string(b));
    const auto batch = [](const Shape& s) { return Shape::of_dims({s.dims.begin(), s.dims.end() - 2}); };
    Shape out = broadcast(batch(a), batch(b));
    if (!row) out.dims.push_back(a.dims[a.rank() - 2]);
    if (!column) out.dims.push_back(b.dims.back());
    return out;
}

MatrixOperands::MatrixOperands(EvalCtx& ctx)
    : a_dims(ctx.need(0).dims), b_dims(ctx.need(1).dims), a(centered_input(ctx, 0)), b(centered_input(ctx, 1)) {
    if (!ctx.node().is(ops::Gemm)) return;
    if (a_dims.size() != 2 || b_dims.size() != 2)
        throw bad_input("operands are {} and {}, need matrices", to_string(a_dims), to_string(b_dims));
    if (ctx.integer("transA") != 0) {
        std::vector<int32_t> turned(a.size());
        swap_axes(a.data(), turned.data(), 1, a_dims[0], a_dims[1]);
        a = std::move(turned);
        std::swap(a_dims[0], a_dims[1]);
    }
    b_transposed = ctx.integer("transB") != 0;
    if (b_transposed) std::swap(b_dims[0], b_dims[1]);
}

namespace {

// The batches one by one, with columns of b behind each other.
template <class T, class Acc>
void multiply(const ProductShape& shape, std::span<const int32_t> a, std::span<const int32_t> b, bool b_transposed, std::vector<Acc>& out) {
    const auto n = to_int32;
    for (const int64_t elements : {shape.m * shape.k, shape.k * shape.n, shape.m * shape.n}) n(elements);  // which steps reach
    const std::vector<T> x(a.begin(), a.end());
    std::vector<T> w(b.begin(), b.end());
    if (!b_transposed) {
        std::vector<T> turned(w.size());
        swap_axes(w.data(), turned.data(), count_of(shape.b_batch), shape.k, shape.n);
        w = std::move(turned);
    }
    const matmul_t s{1, n(shape.m), n(shape.k), n(shape.n), 0, n(shape.k), 1, 0, 1, n(shape.k)};
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    for (size_t i = 0; i < static_cast<size_t>(count_of(shape.batch)); ++i)
        matmul(x.data() + at_a(i) * static_cast<size_t>(shape.m * shape.k), w.data() + at_b(i) * static_cast<size_t>(shape.k * shape.n),
               out.data() + i * static_cast<size_t>(shape.m * shape.n), &s);
}

}  // namespace

template <class Acc>
std::vector<Acc> integer_matmul(const ProductShape& shape, std::span<const int32_t> a, std::span<const int32_t> b, bool b_transposed) {
    std::vector<Acc> out(static_cast<size_t>(count_of(shape.batch) * shape.m * shape.n), 0);
    if (out.empty()) return out;
    if constexpr (sizeof(Acc) == sizeof(int32_t))
        if (fits(a, b, shape.k)) {
            multiply<int16_t>(shape, a, b, b_transposed, out);
            return out;
        }
    std::vector<int64_t> wide(out.size());
    multiply<int32_t>(shape, a, b, b_transposed, wide);
    return wrapped<Acc>(std::move(wide));
}
template std::vector<int32_t> integer_matmul(const ProductShape&, std::span<const int32_t>, std::span<const int32_t>, bool);
template std::vector<int64_t> integer_matmul(const ProductShape&, std::span<const int32_t>, std::span<const int32_t>, bool);

}  // namespace quern
