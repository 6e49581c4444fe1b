// Elementwise evaluation: one function over every element of one, two or three broadcast inputs, in the arithmetic class of the dtype.
#pragma once

#include "libcore/ops/shared/shared.h"

namespace quern {

inline constexpr Trait pointwise = Trait::elementwise | Trait::in_place;

// A row with what all elementwise operators have.
constexpr Op elementwise(Op row) {
    row.traits = row.traits | Trait::elementwise;
    row.layout = Layout::agnostic;
    row.cost = cost_elementwise;
    return row;
}

// Integer arithmetic wraps around.
struct Plus {
    template <class T>
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
        else
            return x + y;
    }
};
struct Minus {
    template <class T>
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
        else
            return x - y;
    }
};
struct Times {
    template <class T>
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
        else
            return x * y;
    }
};
struct Least {
    template <class T>
    T operator()(T x, T y) const {
        return x < y || x != x ? x : y;  // NaN wins
    }
};
struct Greatest {
    template <class T>
    T operator()(T x, T y) const {
        return x > y || x != x ? x : y;
    }
};

// Calls fn with a value of the class in which `dtype` compares and divides as it should: uint64 has its own.
template <class Fn>
void with_ordered(DType dtype, const Fn& fn) {
    if (dtype == DType::u64) return fn(uint64_t{});
    with_arithmetic(dtype, fn);
}

template <class Fn>
void with_floating(DType dtype, const Fn& fn) {
    if (dtype == DType::f64) return fn(double{});
    fn(float{});
}

// to[i] = fn(from[i]). The loops are written so that the compiler vectorizes them also in place.
template <class T, class R, class Fn>
void apply(const T* from, R* to, size_t count, const Fn& fn) {
    if constexpr (std::is_same_v<T, R>) {
        if (from == to) {
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(fn(to[i]));
            return;
        }
    }
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(fn(from[i]));
}

// to[i] = fn(a[i], b[i]); `to` may be a or b.
template <class T, class R, class Fn>
void apply(const T* a, const T* b, R* to, size_t count, const Fn& fn) {
    if constexpr (std::is_same_v<T, R>) {
        if (a == to) {
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(fn(to[i], b[i]));
            return;
        }
    }
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(fn(a[i], b[i]));
}

// Output 0 = fn(input 0), of the input's type; fn gets float, double, int64_t or uint64_t.
template <class Fn>
void map_elements(EvalCtx& ctx, const Fn& fn) {
    const Tensor& x = ctx.need(0);
    with_ordered(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        apply(in.span().data(), out.span().data(), out.size(), fn);
    });
}

// The same for floats only: fn gets float or double.
template <class Fn>
void map_floats(EvalCtx& ctx, const Fn& fn) {
    const Tensor& x = ctx.need(0);
    if (!is_float(x.dtype)) throw bad_input("input 0 is {}, need a float type", name_of(x.dtype));
    with_floating(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        apply(in.span().data(), out.span().data(), out.size(), fn);
    });
}

// As functions of rows.
template <auto fn>
void eval_elements(EvalCtx& ctx) {
    map_elements(ctx, fn);
}
template <auto fn>
void eval_floats(EvalCtx& ctx) {
    map_floats(ctx, fn);
}

// How two arrays meet in runs along the innermost axis of the output: run r of `run` elements starts at start_a[r], start_b[r], which
// then step by step_a and step_b (0 or 1). Exact for any NumPy broadcast.
class BroadcastRuns {
   public:
    BroadcastRuns(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> out)
        : BroadcastRuns(a, b, out, inner_dims(a, b, out)) {}
    size_t runs, run;
    size_t step_a, step_b;
    size_t start_a(size_t r) const { return outer_a_(r) * (step_a ? run : 1); }
    size_t start_b(size_t r) const { return outer_b_(r) * (step_b ? run : 1); }

   private:
    static size_t inner_dims(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> out);
    BroadcastRuns(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> out, size_t inner);
    BroadcastIndex outer_a_, outer_b_;
};

template <class T, class R, class Fn>
void zip_spans(const T* a, std::span<const int64_t> a_dims, const T* b, std::span<const int64_t> b_dims, R* to,
               std::span<const int64_t> dims, const Fn& fn) {
    const BroadcastRuns runs(a_dims, b_dims, dims);
    for (size_t r = 0; r < runs.runs; ++r, to += runs.run) {
        const T *x = a + runs.start_a(r), *y = b + runs.start_b(r);
        if (runs.step_a && runs.step_b)
            apply(x, y, to, runs.run, fn);
        else if (runs.step_a)
            apply(x, to, runs.run, [&fn, scalar = *y](T item) { return fn(item, scalar); });
        else
            apply(y, to, runs.run, [&fn, scalar = *x](T item) { return fn(scalar, item); });
    }
}

void need_same_type(const Tensor& a, const Tensor& b);

// Output 0 = fn(input 0, input 1) broadcast, of the type of input 0; both inputs are converted to its arithmetic class.
template <class Fn>
void zip_elements(EvalCtx& ctx, const Fn& fn) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_same_type(a, b);
    const Dims dims = broadcast(a.dims, b.dims);
    with_ordered(a.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(a), y(b);
        NumbersOut<T> out(ctx, 0, a.dtype, dims);
        if (out.size() > 0) zip_spans(x.span().data(), a.dims, y.span().data(), b.dims, out.span().data(), dims, fn);
    });
}

template <auto fn>
void eval_pairs(EvalCtx& ctx) {
    zip_elements(ctx, fn);
}

}  // namespace quern
