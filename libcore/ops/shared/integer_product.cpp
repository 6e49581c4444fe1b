#include "libcore/ops/shared/integer_product.h"

#include <algorithm>
#include <type_traits>

#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

template <class Acc>
Acc wrapped_sum(Acc sum, int32_t x, int32_t y) {
    using Unsigned = std::make_unsigned_t<Acc>;
    return static_cast<Acc>(static_cast<Unsigned>(sum) +
                            static_cast<Unsigned>(static_cast<Acc>(x)) * static_cast<Unsigned>(static_cast<Acc>(y)));
}

// One filter plane (one input channel) over one image plane, added to `acc`.
struct PlaneWalk {
    const Window& window;
    Dims in, out;
    Dims in_strides, out_strides;

    PlaneWalk(const Window& w, Dims in_dims, Dims out_dims)
        : window(w), in(std::move(in_dims)), out(std::move(out_dims)), in_strides(strides_of(in)), out_strides(strides_of(out)) {}

    template <class Acc>
    void add(const int32_t* x, const int32_t* w, Acc* acc) const {
        Dims tap(window.rank(), 0);
        for (size_t t = 0;; ++t) {
            if (w[t] != 0) add_tap(x, w[t], acc, tap, 0, 0, 0);
            size_t i = window.rank();
            while (i > 0 && ++tap[i - 1] == window.kernel[i - 1]) tap[--i] = 0;
            if (i == 0) return;
        }
    }

   private:
    // The outputs [first, second) whose input under this tap is inside the image.
    std::pair<int64_t, int64_t> inside(size_t i, int64_t shift) const {
        const int64_t stride = window.stride[i];
        const int64_t low = shift < 0 ? (-shift + stride - 1) / stride : 0;
        const int64_t high = shift >= in[i] ? 0 : (in[i] - 1 - shift) / stride + 1;
        return {low, std::min(high, out[i])};
    }

    template <class Acc>
    void add_tap(const int32_t* x, int32_t w, Acc* acc, const Dims& tap, size_t i, int64_t in_at, int64_t out_at) const {
        const int64_t shift = tap[i] * window.dilation[i] - window.before[i];
        const auto [low, high] = inside(i, shift);
        const int64_t stride = window.stride[i];
        if (i + 1 < window.rank()) {
            for (int64_t o = low; o < high; ++o)
                add_tap(x, w, acc, tap, i + 1, in_at + (o * stride + shift) * in_strides[i], out_at + o * out_strides[i]);
            return;
        }
        const int32_t* from = x + in_at + shift;
        Acc* to = acc + out_at;
        if (stride == 1)
            for (int64_t o = low; o < high; ++o) to[o] = wrapped_sum(to[o], w, from[o]);
        else
            for (int64_t o = low; o < high; ++o) to[o] = wrapped_sum(to[o], w, from[o * stride]);
    }
};

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

std::vector<int32_t> codes_channels_first(const std::vector<int32_t>& codes, Dims& dims) {
    dims = to_channels_first(dims);
    std::vector<int32_t> out(codes.size());
    swap_axes(codes.data(), out.data(), dims[0], count_of(space_of(dims)), dims[1]);
    return out;
}

template <class Acc>
std::vector<Acc> integer_conv(const NodeView& node, const Dims& x_dims, std::span<const int32_t> x, const Dims& w_dims,
                              std::span<const int32_t> w, Dims& out) {
    out = conv_type(node, DType::i32, Shape::of(x_dims), Shape::of(w_dims)).shape.concrete().value();
    const Shape data = Shape::of(x_dims);
    const Dims kernel(w_dims.begin() + 2, w_dims.end());
    const Window window = window_of(node, std::span(data.dims).subspan(2), kernel);
    const PlaneWalk walk(window, Dims(x_dims.begin() + 2, x_dims.end()), Dims(out.begin() + 2, out.end()));
    const auto in_plane = static_cast<size_t>(count_of(walk.in)), out_plane = static_cast<size_t>(count_of(walk.out));
    const auto tap_count = static_cast<size_t>(count_of(kernel));
    const auto channels = static_cast<size_t>(x_dims[1]), taken = static_cast<size_t>(w_dims[1]), made = static_cast<size_t>(w_dims[0]);
    const auto group_size = made / static_cast<size_t>(node.integer("group"));
    std::vector<Acc> acc(static_cast<size_t>(count_of(out)), 0);
    if (acc.empty()) return acc;
    for (size_t n = 0; n < static_cast<size_t>(x_dims[0]); ++n)
        for (size_t m = 0; m < made; ++m)
            for (size_t c = 0; c < taken; ++c)
                walk.add(x.data() + (n * channels + m / group_size * taken + c) * in_plane, w.data() + (m * taken + c) * tap_count,
                         acc.data() + (n * made + m) * out_plane);
    return acc;
}
template std::vector<int32_t> integer_conv(const NodeView&, const Dims&, std::span<const int32_t>, const Dims&, std::span<const int32_t>,
                                           Dims&);
template std::vector<int64_t> integer_conv(const NodeView&, const Dims&, std::span<const int32_t>, const Dims&, std::span<const int32_t>,
                                           Dims&);

std::vector<int64_t> integer_conv_transpose(const NodeView& node, const Dims& x_dims, std::span<const int32_t> x, const Dims& w_dims,
                                            std::span<const int32_t> w, Dims& out) {
    const Dims strides = window_numbers(node, "strides", 2, 1, 1), pads = window_numbers(node, "pads", 4, 0, 0),
               extra = window_numbers(node, "output_padding", 2, 0, 0);
    if (x_dims.size() != 4 || w_dims.size() != 4 || x_dims[1] != w_dims[0])
        throw bad_input("operands are {} and {}", to_string(x_dims), to_string(w_dims));
    out = {x_dims[0], w_dims[1], 0, 0};
    for (size_t i = 0; i < 2; ++i) {
        out[i + 2] = (x_dims[i + 2] - 1) * strides[i] + w_dims[i + 2] + extra[i] - pads[i] - pads[i + 2];
        if (out[i + 2] < 0) throw bad_input("the padding is larger than the result");
    }
    std::vector<int64_t> sums(static_cast<size_t>(count_of(out)), 0);
    const auto at = [](const Dims& dims, int64_t a, int64_t b, int64_t c, int64_t d) {
        return static_cast<size_t>(((a * dims[1] + b) * dims[2] + c) * dims[3] + d);
    };
    for (int64_t n = 0; n < x_dims[0]; ++n)
        for (int64_t c = 0; c < x_dims[1]; ++c)
            for (int64_t i = 0; i < x_dims[2] * x_dims[3]; ++i) {
                const int64_t row = i / x_dims[3], column = i % x_dims[3], code = x[at(x_dims, n, c, row, column)];
                for (int64_t m = 0; m < w_dims[1]; ++m)
                    for (int64_t k = 0; k < w_dims[2] * w_dims[3]; ++k) {
                        const int64_t y = row * strides[0] - pads[0] + k / w_dims[3], z = column * strides[1] - pads[1] + k % w_dims[3];
                        if (y < 0 || y >= out[2] || z < 0 || z >= out[3]) continue;
                        sums[at(out, n, m, y, z)] += code * w[at(w_dims, c, m, k / w_dims[3], k % w_dims[3])];
                    }
            }
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

template <class Acc>
std::vector<Acc> integer_matmul(const ProductShape& shape, std::span<const int32_t> a, std::span<const int32_t> b) {
    const auto m = static_cast<size_t>(shape.m), k = static_cast<size_t>(shape.k), n = static_cast<size_t>(shape.n);
    const auto batches = static_cast<size_t>(count_of(shape.batch));
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    Dims all = shape.batch;
    all.push_back(shape.m);
    all.push_back(shape.n);
    std::vector<Acc> out(static_cast<size_t>(count_of(all)), 0);
    if (out.empty()) return out;
    for (size_t batch = 0; batch < batches; ++batch) {
        const int32_t *a_matrix = a.data() + at_a(batch) * m * k, *b_matrix = b.data() + at_b(batch) * k * n;
        for (size_t i = 0; i < m; ++i) {
            Acc* row = out.data() + (batch * m + i) * n;
            for (size_t j = 0; j < k; ++j) {
                const int32_t x = a_matrix[i * k + j];
                const int32_t* y = b_matrix + j * n;
                for (size_t c = 0; c < n; ++c) row[c] = wrapped_sum(row[c], x, y[c]);
            }
        }
    }
    return out;
}
template std::vector<int32_t> integer_matmul(const ProductShape&, std::span<const int32_t>, std::span<const int32_t>);
template std::vector<int64_t> integer_matmul(const ProductShape&, std::span<const int32_t>, std::span<const int32_t>);

}  // namespace quern
