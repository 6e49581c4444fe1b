// Reductions over axes.
#include <array>
#include <cmath>
#include <limits>

#include "libcore/base/truncated.h"
#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/reduction.h"

namespace quern {
namespace {

void infer_reduce(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const bool keep = ctx.integer("keepdims") != 0;
    const auto axes = known_integers(ctx, 1);
    if (!shape.ranked || (ctx.has_in(1) && !axes))
        return ctx.set(0, Type::tensor(ctx.dtype(0), shape.ranked && keep ? Shape::of_rank(shape.rank()) : Shape()));
    const auto flags = reduced_dims(ctx, axes.value_or(std::vector<int64_t>()), shape.rank());
    Shape out = Shape::of_dims({});
    for (size_t i = 0; i < flags.size(); ++i)
        if (!flags[i] || keep) out.dims.push_back(flags[i] ? Dim::of(1) : shape.dims[i]);
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}

template <char op>
void infer_reduce_value(InferCtx& ctx) {  // ReduceProd and others of a shape
    infer_reduce(ctx);
    const auto* dims = ctx.dims_value(0);
    if (!dims || dims->empty() || !ctx.shape(0).ranked || ctx.shape(0).rank() != 1 || ctx.integer("noop_with_empty_axes") != 0) return;
    Dim out = dims->front();
    for (size_t i = 1; i < dims->size(); ++i) out = combine(out, (*dims)[i], op);
    ctx.set_dims_value(0, {out});
}

// ---- walking ---------------------------------------------------------------------------------------------------------------

// Neighbouring dims that are all kept or all reduced, as one.
struct Group {
    size_t length;
    bool reduced;
};

std::vector<Group> groups_of(const Dims& dims, const std::vector<bool>& flags) {
    std::vector<Group> out;
    for (size_t i = 0; i < dims.size(); ++i) {
        const auto length = static_cast<size_t>(dims[i]);
        if (!out.empty() && out.back().reduced == flags[i])
            out.back().length *= length;
        else
            out.push_back({length, flags[i]});
    }
    return out;
}

// Gives every run of input elements to its output: row(input, output, count) where `count` elements go into one output, or
// column(input, output, count) where they go into as many.
template <class Row, class Column>
void walk(std::span<const Group> groups, size_t& in, size_t out, const Row& row, const Column& column) {
    if (groups.size() == 1) {
        if (groups[0].reduced)
            row(in, out, groups[0].length);
        else
            column(in, out, groups[0].length);
        in += groups[0].length;
        return;
    }
    size_t kept = 1;  // outputs of the groups below
    for (const Group& group : groups.subspan(1)) kept *= group.reduced ? 1 : group.length;
    for (size_t i = 0; i < groups[0].length; ++i) walk(groups.subspan(1), in, groups[0].reduced ? out : out + i * kept, row, column);
}

// Sums in eight lanes, then the lanes: fast, and the same on every machine.
template <class A, class T, class Fn>
void accumulate_row(A& to, const T* from, size_t count, const Fn& fn, A start) {
    constexpr size_t lanes = 8;
    std::array<A, lanes> lane;
    lane.fill(start);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (size_t k = 0; k < lanes; ++k) lane[k] = fn.join(lane[k], fn.each(from[i + k]));
    for (; i < count; ++i) lane[0] = fn.join(lane[0], fn.each(from[i]));
    for (const A& part : lane) to = fn.join(to, part);
}

// ---- the functions -----------------------------------------------------------------------------------------------------------

// `first` joined with each element.
template <class Join, int first = 0>
struct Fold {
    template <class T>
    static constexpr T start() {
        return T{first};
    }
    static auto each(auto x) { return x; }
    template <class T>
    static T join(T a, T b) {
        return Join()(a, b);
    }
};
using SumOf = Fold<Plus>;
using ProductOf = Fold<Times, 1>;
struct SumOfAbs : SumOf {
    static auto each(auto x) { return x < decltype(x){0} ? Times()(x, static_cast<decltype(x)>(-1)) : x; }
};
struct SumOfSquares : SumOf {
    static auto each(auto x) { return Times()(x, x); }
};
template <class Join>
struct ExtremeOf : Fold<Join> {
    template <class T>
    static constexpr T start() {
        using Limits = std::numeric_limits<T>;
        constexpr bool max = std::is_same_v<Join, Greatest>;
        if constexpr (std::is_floating_point_v<T>)
            return max ? -Limits::infinity() : Limits::infinity();
        else
            return max ? Limits::lowest() : Limits::max();
    }
};
using GreatestOf = ExtremeOf<Greatest>;
using LeastOf = ExtremeOf<Least>;

struct Reduction {
    Dims dims;                  // of the output
    std::vector<Group> groups;  // of the input
    size_t per_output = 1;      // elements that go into one output
};

Reduction reduction_of(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const auto axes = ctx.in(1) ? to_ints(*ctx.in(1)) : std::vector<int64_t>();
    const auto flags = reduced_dims(ctx, axes, x.dims.size());
    const bool keep = ctx.integer("keepdims") != 0;
    Reduction out;
    for (size_t i = 0; i < flags.size(); ++i) {
        if (flags[i]) out.per_output *= static_cast<size_t>(x.dims[i]);
        if (!flags[i] || keep) out.dims.push_back(flags[i] ? 1 : x.dims[i]);
    }
    out.groups = groups_of(x.dims, flags);
    if (out.groups.empty()) out.groups.push_back({1, false});
    return out;
}

template <class T, class Fn>
void reduce_into(std::span<const T> in, std::span<T> out, const Reduction& plan, const Fn& fn) {
    std::fill(out.begin(), out.end(), Fn::template start<T>());
    if (in.empty()) return;
    size_t at = 0;
    walk(
        plan.groups, at, 0,
        [&](size_t i, size_t o, size_t count) { accumulate_row(out[o], in.data() + i, count, fn, Fn::template start<T>()); },
        [&](size_t i, size_t o, size_t count) {
            for (size_t k = 0; k < count; ++k) out[o + k] = fn.join(out[o + k], fn.each(in[i + k]));
        });
}

// Output 0: each element last(reduced, count of what went in).
template <class Fn, class Last>
void reduce(EvalCtx& ctx, const Fn& fn, const Last& last) {
    const Tensor& x = ctx.need(0);
    const Reduction plan = reduction_of(ctx);
    with_ordered(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, plan.dims);
        reduce_into<T>(in.span(), out.span(), plan, fn);
        for (T& item : out.span()) item = static_cast<T>(last(item, plan.per_output));
    });
}
constexpr auto as_is = [](auto x, size_t) { return x; };

void eval_sum(EvalCtx& ctx) { reduce(ctx, SumOf(), as_is); }
void eval_prod(EvalCtx& ctx) { reduce(ctx, ProductOf(), as_is); }
// Of nothing, the least and the greatest number of the type.
void eval_max(EvalCtx& ctx) {
    const DType dtype = ctx.need(0).dtype;
    reduce(ctx, GreatestOf(),
           [dtype](auto x, size_t count) { return count == 0 && !is_float(dtype) ? static_cast<decltype(x)>(int_range(dtype).min) : x; });
}
void eval_min(EvalCtx& ctx) {
    const DType dtype = ctx.need(0).dtype;
    reduce(ctx, LeastOf(), [dtype](auto x, size_t count) {
        return count == 0 && !is_float(dtype) && dtype != DType::u64 ? static_cast<decltype(x)>(int_range(dtype).max) : x;
    });
}
void eval_l1(EvalCtx& ctx) { reduce(ctx, SumOfAbs(), as_is); }
void eval_sum_square(EvalCtx& ctx) { reduce(ctx, SumOfSquares(), as_is); }
void eval_l2(EvalCtx& ctx) {
    reduce(ctx, SumOfSquares(), [](auto x, size_t) {
        if constexpr (std::is_integral_v<decltype(x)>)  // the sum may have wrapped around
            return truncated<decltype(x)>(std::sqrt(static_cast<double>(x)));
        else
            return std::sqrt(x);
    });
}
void eval_log_sum(EvalCtx& ctx) {
    reduce(ctx, SumOf(), [](auto x, size_t) {
        return portable::log(static_cast<std::conditional_t<std::is_integral_v<decltype(x)>, double, decltype(x)>>(x));
    });
}
void eval_mean(EvalCtx& ctx) {
    reduce(ctx, SumOf(), [](auto x, size_t count) {
        using T = decltype(x);
        if constexpr (std::is_integral_v<T>)
            return count == 0 ? T{0} : static_cast<T>(x / static_cast<T>(count));
        else
            return x / static_cast<T>(count);
    });
}

// The greatest element is taken out of the sum, so that nothing overflows.
void eval_log_sum_exp(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Reduction plan = reduction_of(ctx);
    with_floating(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        std::vector<T> peak(static_cast<size_t>(count_of(plan.dims)));
        reduce_into<T>(in.span(), peak, plan, GreatestOf());
        for (T& item : peak)
            if (std::isinf(item)) item = 0;
        NumbersOut<T> out(ctx, 0, x.dtype, plan.dims);
        std::fill(out.span().begin(), out.span().end(), T{0});
        size_t at = 0;
        // From `count` elements to as many outputs, `step` from each other.
        const auto add = [&](size_t i, size_t o, size_t count, size_t step) {
            for (size_t k = 0; k < count; ++k) out[o + k * step] += portable::exp(in[i + k] - peak[o + k * step]);
        };
        if (in.size() > 0)
            walk(
                plan.groups, at, 0, [&](size_t i, size_t o, size_t count) { add(i, o, count, 0); },
                [&](size_t i, size_t o, size_t count) { add(i, o, count, 1); });
        for (size_t i = 0; i < out.size(); ++i) out[i] = portable::log(out[i]) + peak[i];
    });
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array reduce_attrs{AttrDef{"keepdims", AttrKind::integer, "1"}, AttrDef{"noop_with_empty_axes", AttrKind::integer, "0"}};
constexpr DTypes reducible = dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64;
constexpr DTypes comparable = reducible | DType::i8 | DType::u8 | DType::boolean;
constexpr QuantRule friendly = rules::own.with_places(0b10).with_runtimes({.friendly = true});
constexpr QuantRule chosen =
    rules::same.with(rules::selects).with_places(0b10).with_runtimes({.sharing = Sharing::together, .friendly = true});

constexpr Op reduction(std::string_view name, void (*eval)(EvalCtx&), std::string_view doc, DTypes types = reducible,
                       void (*infer)(InferCtx&) = infer_reduce, QuantRule quant = rules::own) {
    return {.name = name,
            .in = {1, 2},
            .attrs = reduce_attrs,
            .types = types,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .cost = cost_reading,
            .doc = doc};
}

constexpr std::array reduce_table{
    reduction("ReduceSum", eval_sum, "sum over axes", reducible, infer_reduce_value<'+'>, friendly),
    reduction("ReduceMean", eval_mean, "mean over axes", reducible, infer_reduce, friendly),
    reduction("ReduceMax", eval_max, "greatest element over axes", comparable, infer_reduce_value<'>'>, chosen),
    reduction("ReduceMin", eval_min, "least element over axes", comparable, infer_reduce_value<'<'>, chosen),
    reduction("ReduceProd", eval_prod, "product over axes", reducible, infer_reduce_value<'*'>),
    reduction("ReduceL1", eval_l1, "sum of absolute values over axes"),
    reduction("ReduceL2", eval_l2, "root of the sum of squares over axes"),
    reduction("ReduceLogSum", eval_log_sum, "logarithm of the sum over axes", dtypes::floats),
    reduction("ReduceLogSumExp", eval_log_sum_exp, "logarithm of the sum of exponentials over axes", dtypes::floats),
    reduction("ReduceSumSquare", eval_sum_square, "sum of squares over axes"),
};

}  // namespace

std::span<const Op> reduce_ops() { return reduce_table; }

}  // namespace quern
