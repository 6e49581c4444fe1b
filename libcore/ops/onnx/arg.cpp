// Operators that look for extremes along an axis: ArgMax ArgMin TopK Hardmax.
#include <algorithm>
#include <array>
#include <numeric>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

// A tensor seen as [outer, length, inner] around an axis.
struct Lines {
    size_t outer, length, inner;
    size_t start(size_t line) const { return line / inner * length * inner + line % inner; }
    size_t count() const { return outer * inner; }
};
Lines lines_of(const Dims& dims, size_t axis) {
    return {span_count(dims, 0, axis), static_cast<size_t>(dims[axis]), span_count(dims, axis + 1, dims.size())};
}

// ---- ArgMax, ArgMin ----------------------------------------------------------------------------------------------------------

void infer_arg(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (out.ranked) {
        const size_t axis = normal_axis(ctx.integer("axis"), out.rank());
        if (ctx.integer("keepdims") != 0)
            out.dims[axis] = Dim::of(1);
        else
            out.dims.erase(out.dims.begin() + static_cast<int64_t>(axis));
    }
    ctx.set(0, Type::tensor(DType::i64, out));
}

// Greater is better; the first NaN wins.
template <class T>
size_t best_of_line(const T* from, const Lines& lines, bool max, bool last) {
    size_t best = 0;
    for (size_t i = 1; i < lines.length; ++i) {
        const T item = from[i * lines.inner], held = from[best * lines.inner];
        const bool better = item != item ? held == held : max ? item > held : item < held;
        if (better || (last && item == held)) best = i;
    }
    return best;
}

void eval_arg(EvalCtx& ctx, bool max) {
    const Tensor& x = ctx.need(0);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const bool last = ctx.integer("select_last_index") != 0;
    const Lines lines = lines_of(x.dims, axis);
    if (lines.length == 0) throw bad_input("axis {} of {} is empty", axis, to_string(x.dims));
    Dims dims = x.dims;
    if (ctx.integer("keepdims") != 0)
        dims[axis] = 1;
    else
        dims.erase(dims.begin() + static_cast<int64_t>(axis));
    const auto out = ctx.out_as<int64_t>(0, dims);
    with_ordered(x.dtype, [&](auto zero) {
        const Numbers<decltype(zero)> in(x);
        for (size_t line = 0; line < out.size(); ++line)
            out[line] = static_cast<int64_t>(best_of_line(in.span().data() + lines.start(line), lines, max, last));
    });
}
void eval_arg_max(EvalCtx& ctx) { eval_arg(ctx, true); }
void eval_arg_min(EvalCtx& ctx) { eval_arg(ctx, false); }

// ---- Hardmax -----------------------------------------------------------------------------------------------------------------

void eval_hardmax(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Lines lines = lines_of(x.dims, normal_axis(ctx.integer("axis"), x.dims.size()));
    with_floating(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        std::fill(out.span().begin(), out.span().end(), T{0});
        for (size_t line = 0; line < lines.count() && lines.length > 0; ++line) {
            const size_t start = lines.start(line);
            out[start + best_of_line(in.span().data() + start, lines, true, false) * lines.inner] = 1;
        }
    });
}

// ---- TopK --------------------------------------------------------------------------------------------------------------------

void infer_top_k(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    const auto* k = ctx.dims_value(1);
    if (out.ranked) out.dims[normal_axis(ctx.integer("axis"), out.rank())] = k && k->size() == 1 ? checked_dim(k->front()) : Dim::unknown();
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    ctx.set(1, Type::tensor(DType::i64, out));
}

void eval_top_k(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &wanted = ctx.need(1);
    if (wanted.count() != 1) throw bad_input("k is {}, need one number", to_string(wanted.dims));
    const int64_t k = to_ints(wanted)[0];
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    if (k < 0 || k > x.dims[axis]) throw bad_input("k is {}, need 0 to {}", k, x.dims[axis]);
    const bool largest = ctx.integer("largest") != 0;
    const Lines lines = lines_of(x.dims, axis);
    Dims dims = x.dims;
    dims[axis] = k;
    const Lines to = lines_of(dims, axis);
    std::vector<int64_t> indices(static_cast<size_t>(count_of(dims)));
    std::vector<size_t> order(lines.length);
    with_ordered(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, dims);
        for (size_t line = 0; line < lines.count(); ++line) {
            const T* from = in.span().data() + lines.start(line);
            const auto before = [&](size_t a, size_t b) {  // NaN counts as greatest; equals in order of index
                const T p = from[a * lines.inner], q = from[b * lines.inner];
                if ((p != p) != (q != q)) return (p != p) == largest;
                if (p == q || p != p) return a < b;
                return largest ? p > q : p < q;
            };
            std::iota(order.begin(), order.end(), size_t{0});
            std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
            for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
                const size_t at = to.start(line) + i * to.inner;
                out[at] = from[order[i] * lines.inner];
                indices[at] = static_cast<int64_t>(order[i]);
            }
        }
    });
    if (ctx.wants(1)) ctx.give(1, Tensor::make<int64_t>(dims, indices));
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array arg_attrs{AttrDef{"axis", AttrKind::integer, "0"}, AttrDef{"keepdims", AttrKind::integer, "1"},
                               AttrDef{"select_last_index", AttrKind::integer, "0"}};
constexpr std::array top_k_attrs{AttrDef{"axis", AttrKind::integer, "-1"}, AttrDef{"largest", AttrKind::integer, "1"},
                                 AttrDef{"sorted", AttrKind::integer, "1"}};
constexpr std::array hardmax_attrs{AttrDef{"axis", AttrKind::integer, "-1"}};

constexpr std::array arg_table{
    plain("ArgMax", {1, 1}, arg_attrs, dtypes::numbers, infer_arg, eval_arg_max, "place of the greatest element along an axis",
          cost_reading),
    plain("ArgMin", {1, 1}, arg_attrs, dtypes::numbers, infer_arg, eval_arg_min, "place of the least element along an axis", cost_reading),
    Op{.name = "TopK",
       .in = {2, 2},
       .out = {2, 2},
       .attrs = top_k_attrs,
       .types = dtypes::numbers,
       .infer = infer_top_k,
       .eval = eval_top_k,
       .quant = rules::same.with_places(0b10),
       .cost = cost_reading,
       .doc = "the k greatest or least elements along an axis, and their places"},
    Op{.name = "Hardmax",
       .attrs = hardmax_attrs,
       .traits = Trait::idempotent,
       .types = dtypes::floats,
       .infer = infer_same,
       .eval = eval_hardmax,
       .cost = cost_reading,
       .doc = "1 at the first greatest element along an axis, else 0"},
};

}  // namespace

std::span<const Op> arg_ops() { return arg_table; }

}  // namespace quern
