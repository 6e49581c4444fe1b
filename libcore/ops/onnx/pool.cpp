// Pooling: MaxPool AveragePool LpPool, their global forms, MaxUnpool and MaxRoiPool.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/ops/onnx/pool.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/taps.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

Window pool_window(const NodeView& node, std::span<const Dim> space) {
    const Dims kernel = node.integers("kernel_shape");
    if (kernel.size() != space.size())
        throw bad_input("kernel_shape has {} numbers, the data {} spatial dims", kernel.size(), space.size());
    return window_of(node, space, kernel);
}

// The pooled shape of channels-first data.
Shape pooled(const NodeView& node, const Shape& data) {
    if (!data.ranked) return data;
    if (data.rank() < 3) throw bad_input("input 0 is {}, need rank 3 or more", to_string(data));
    const auto space = std::span(data.dims).subspan(2);
    const Window window = pool_window(node, space);
    Shape out = data;
    for (size_t i = 0; i < space.size(); ++i) out.dims[i + 2] = window_count(window, i, space[i], node.integer("ceil_mode") != 0);
    return out;
}

void infer_pool(InferCtx& ctx) {
    const bool last = channels_last(ctx);
    Shape shape = pooled(ctx, last ? to_channels_first(ctx.shape(0)) : ctx.shape(0));
    if (last) shape = to_channels_last(shape);
    ctx.set(0, Type::tensor(ctx.dtype(0), shape));
    ctx.set(1, Type::tensor(DType::i64, std::move(shape)));
}

void infer_global_pool(InferCtx& ctx) {
    Shape shape = ctx.shape(0);
    const size_t first = channels_last(ctx) ? 1 : 2, end = shape.rank() - (channels_last(ctx) ? 1 : 0);
    if (shape.ranked && shape.rank() < 3) throw bad_input("input 0 is {}, need rank 3 or more", to_string(shape));
    if (shape.ranked)
        std::fill(shape.dims.begin() + static_cast<int64_t>(first), shape.dims.begin() + static_cast<int64_t>(end), Dim::of(1));
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(shape)));
}

struct Pool {
    Dims in, out;
    Window window;
    Taps taps;
    int64_t planes, in_plane, out_plane;
};

Pool pool_of(const NodeView& node, Dims in) {
    const Shape shape = Shape::of(in);
    Dims out = *pooled(node, shape).concrete();
    Window window = pool_window(node, std::span(shape.dims).subspan(2));
    Taps taps(window, space_of(out), space_of(in));
    const int64_t planes = count_of(Dims{in[0], in[1]}), in_plane = count_of(space_of(in)), out_plane = count_of(space_of(out));
    return {std::move(in), std::move(out), std::move(window), std::move(taps), planes, in_plane, out_plane};
}

// ---- MaxPool -------------------------------------------------------------------------------------------------------------

// An index with the first spatial dim running fastest (storage_order 1), for a row-major index of a plane.
int64_t column_major(int64_t index, std::span<const int64_t> space) {
    const auto strides = strides_of(space);
    int64_t at = 0, step = 1;
    for (size_t i = 0; i < space.size(); ++i) {
        at += index / strides[i] % space[i] * step;
        step *= space[i];
    }
    return at;
}

template <class T>
constexpr T lowest() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <class T>
void max_pool(const Pool& pool, const T* x, T* y, int64_t* places) {
    std::fill_n(y, pool.planes * pool.out_plane, lowest<T>());
    for (int64_t plane = 0; plane < pool.planes; ++plane, x += pool.in_plane, y += pool.out_plane)
        for (size_t tap = 0; tap < pool.taps.count(); ++tap)
            each_pair(pool.taps, tap, [&](int64_t small, int64_t large) {
                if (!(x[large] > y[small]) && x[large] == x[large]) return;  // a NaN wins
                y[small] = x[large];
                if (places) places[plane * pool.out_plane + small] = large;
            });
}

void eval_max_pool(EvalCtx& ctx) {
    const Tensor& data = ctx.need(0);
    const bool last = channels_last(ctx);
    const Pool pool = pool_of(ctx, spatial_dims(data, last));
    std::vector<int64_t> places(ctx.wants(1) ? static_cast<size_t>(count_of(pool.out)) : 0, 0);
    with_arithmetic(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const SpatialIn<T> x(data, last);
        SpatialOut<T> y(ctx, 0, data.dtype, pool.out, last);
        max_pool<T>(pool, x.data(), y.data(), places.empty() ? nullptr : places.data());
    });
    if (!ctx.wants(1)) return;
    if (last) throw unsupported("indices of a pool with channels last");
    const bool by_column = ctx.integer("storage_order") != 0;
    const auto out = ctx.out_as<int64_t>(1, pool.out);
    for (size_t i = 0; i < out.size(); ++i) {
        const int64_t place = by_column ? column_major(places[i], space_of(pool.in)) : places[i];
        out[i] = static_cast<int64_t>(i) / pool.out_plane * pool.in_plane + place;
    }
}

// ---- AveragePool and LpPool ------------------------------------------------------------------------------------------------

// How many elements each window averages: those inside the input, or inside the padded input.
std::vector<int64_t> window_sizes(const Pool& pool, bool include_pad) {
    std::vector<int64_t> sizes(static_cast<size_t>(pool.out_plane), include_pad ? 1 : 0);
    if (!include_pad) {
        for (size_t tap = 0; tap < pool.taps.count(); ++tap)
            each_pair(pool.taps, tap, [&](int64_t small, int64_t) { ++sizes[static_cast<size_t>(small)]; });
        return sizes;
    }
    const auto out = space_of(pool.out), in = space_of(pool.in);
    const auto strides = strides_of(out);
    const Window& w = pool.window;
    for (size_t i = 0; i < sizes.size(); ++i)
        for (size_t d = 0; d < out.size(); ++d) {
            const int64_t start = static_cast<int64_t>(i) / strides[d] % out[d] * w.stride[d] - w.before[d];
            const int64_t room = in[d] + w.after[d] - start;  // elements from the start to the end of the padded input
            sizes[i] *= std::min(w.kernel[d], (room + w.dilation[d] - 1) / w.dilation[d]);
        }
    return sizes;
}

// y[window] = finish(sum of term(x) over the window, window number in its plane)
template <class T, class Term, class Finish>
void sum_pool(EvalCtx& ctx, const Pool& pool, bool last, const Term& term, const Finish& finish) {
    const Tensor& data = ctx.need(0);
    const SpatialIn<T> in(data, last);
    SpatialOut<T> out(ctx, 0, data.dtype, pool.out, last);
    const T* x = in.data();
    T* y = out.data();
    std::fill(out.span().begin(), out.span().end(), T{0});
    for (int64_t plane = 0; plane < pool.planes; ++plane, x += pool.in_plane, y += pool.out_plane) {
        for (size_t tap = 0; tap < pool.taps.count(); ++tap)
            each_pair(pool.taps, tap, [&](int64_t small, int64_t large) { y[small] += term(x[large]); });
        for (int64_t i = 0; i < pool.out_plane; ++i) y[i] = finish(y[i], static_cast<size_t>(i));
    }
}

void eval_average_pool(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    const Pool pool = pool_of(ctx, spatial_dims(ctx.need(0), last));
    const auto sizes = window_sizes(pool, ctx.integer("count_include_pad") != 0);
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        sum_pool<T>(
            ctx, pool, last, [](T x) { return x; }, [&](T sum, size_t i) { return sum / static_cast<T>(sizes[i]); });
    });
}

// The p-norm's term and root; p is at least 1.
template <class T>
struct Norm {
    int64_t p;
    T term(T x) const { return p == 1 ? std::abs(x) : p == 2 ? x * x : portable::pow(std::abs(x), static_cast<T>(p)); }
    T root(T sum) const { return p == 1 ? sum : p == 2 ? std::sqrt(sum) : portable::pow(sum, T{1} / static_cast<T>(p)); }
};

int64_t norm_degree(const NodeView& node) {
    const int64_t p = node.integer("p");
    if (p < 1) throw bad_input("attribute \"p\" is {}, need at least 1", p);
    return p;
}

void eval_lp_pool(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    const Pool pool = pool_of(ctx, spatial_dims(ctx.need(0), last));
    const int64_t p = norm_degree(ctx);
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        const Norm<T> norm{p};
        sum_pool<T>(
            ctx, pool, last, [&](T x) { return norm.term(x); }, [&](T sum, size_t) { return norm.root(sum); });
    });
}

// ---- global pools ------------------------------------------------------------------------------------------------------------

// fn(plane) makes one number of each plane.
template <class T, class Fn>
void global_pool(EvalCtx& ctx, const Fn& fn) {
    const Tensor& data = ctx.need(0);
    const bool last = channels_last(ctx);
    const SpatialIn<T> x(data, last);
    Dims dims = spatial_dims(data, last);
    const auto plane = static_cast<size_t>(count_of(space_of(dims)));
    if (plane == 0) throw bad_input("input 0 is {}: there is nothing to pool", to_string(data.dims));
    std::fill(dims.begin() + 2, dims.end(), 1);
    SpatialOut<T> y(ctx, 0, data.dtype, dims, last);
    for (size_t i = 0; i < y.span().size(); ++i) y.span()[i] = fn(std::span<const T>(x.data() + i * plane, plane));
}

void eval_global_average_pool(EvalCtx& ctx) {
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        global_pool<T>(ctx, [](std::span<const T> plane) {
            double sum = 0;
            for (const T x : plane) sum += x;
            return static_cast<T>(sum / static_cast<double>(plane.size()));
        });
    });
}

void eval_global_max_pool(EvalCtx& ctx) {
    with_arithmetic(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        global_pool<T>(ctx, [](std::span<const T> plane) {
            T max = plane[0];
            for (const T x : plane)
                if (x > max || x != x) max = x;
            return max;
        });
    });
}

void eval_global_lp_pool(EvalCtx& ctx) {
    const int64_t p = norm_degree(ctx);
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        const Norm<T> norm{p};
        global_pool<T>(ctx, [&](std::span<const T> plane) {
            T sum = 0;
            for (const T x : plane) sum += norm.term(x);
            return norm.root(sum);
        });
    });
}

// ---- rows ----------------------------------------------------------------------------------------------------------------------

Cost pool_cost(const CostCtx& ctx) {
    const Dims kernel = NodeView(ctx.node).integers("kernel_shape");
    return {kernel.empty() ? elements(ctx.in[0]) : elements(ctx.out[0]) * elements(kernel), moved_bytes(ctx)};
}

using namespace window_attrs;
constexpr AttrDef degree{"p", AttrKind::integer, "2"};

constexpr std::array max_attrs{auto_pad, ceil_mode,  dilations, kernel_shape, pads, AttrDef{"storage_order", AttrKind::integer, "0"},
                               strides,  layout_attr};
constexpr std::array average_attrs{auto_pad, ceil_mode, count_include_pad, dilations, kernel_shape, pads, strides, layout_attr};
constexpr std::array lp_attrs{auto_pad, ceil_mode, dilations, kernel_shape, degree, pads, strides, layout_attr};
constexpr std::array global_attrs{layout_attr};
constexpr std::array global_lp_attrs{degree, layout_attr};
constexpr std::array unpool_attrs{kernel_shape, pads, strides};
constexpr std::array roi_attrs{AttrDef{"pooled_shape", AttrKind::integers, {}, true}, AttrDef{"spatial_scale", AttrKind::real, "1"}};

constexpr QuantRule averaged = rules::own.with(rules::friendly);
constexpr QuantRule chosen = rules::same.with(rules::friendly | rules::selects).with_runtimes(rules::together);
constexpr DTypes max_types = dtypes::floats | DType::i8 | DType::u8;

constexpr Op pool(std::string_view name, std::span<const AttrDef> attrs, DTypes types, void (*infer)(InferCtx&), void (*eval)(EvalCtx&),
                  std::string_view doc, QuantRule quant = {}) {
    return {.name = name,
            .attrs = attrs,
            .types = types,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .layout = Layout::spatial,
            .cost = pool_cost,
            .doc = doc};
}

constexpr std::array pool_table{
    Op{.name = "MaxPool",
       .out = {1, 2},
       .attrs = max_attrs,
       .types = max_types,
       .infer = infer_pool,
       .eval = eval_max_pool,
       .quant = chosen,
       .layout = Layout::spatial,
       .cost = pool_cost,
       .doc = "greatest element of each window, and where it was"},
    pool("AveragePool", average_attrs, dtypes::floats, infer_pool, eval_average_pool, "mean of each window",
         averaged.with_runtimes(rules::together)),
    pool("LpPool", lp_attrs, dtypes::floats, infer_pool, eval_lp_pool, "p-norm of each window"),
    pool("GlobalAveragePool", global_attrs, dtypes::floats, infer_global_pool, eval_global_average_pool, "mean of each channel", averaged),
    pool("GlobalMaxPool", global_attrs, max_types, infer_global_pool, eval_global_max_pool, "greatest element of each channel", chosen),
    pool("GlobalLpPool", global_lp_attrs, dtypes::floats, infer_global_pool, eval_global_lp_pool, "p-norm of each channel"),
    plain("MaxUnpool", {2, 3}, unpool_attrs, dtypes::floats, infer_max_unpool, eval_max_unpool,
          "puts the maxima of a MaxPool back where they were, zeros elsewhere"),
    plain("MaxRoiPool", {2, 2}, roi_attrs, dtypes::floats, infer_max_roi_pool, eval_max_roi_pool,
          "max-pools each region of interest to a fixed size"),
};

}  // namespace

std::span<const Op> pool_ops() { return pool_table; }

}  // namespace quern
