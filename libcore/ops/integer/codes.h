// What the rows of arithmetic profiles share: codes with one scale for a tensor, and walks over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/shapes.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/code_pairs.h"
#include "libcore/ops/shared/reduction.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern {

using Codes = std::vector<int64_t>;

inline float scale_of(const Encoding& e) { return to_floats(e.scale)[0]; }
// Is the scale 2^exponent? frexp's fraction of a power of two is 1/2.
inline bool is_power_of_two(float scale, int& exponent) {
    const bool is = std::frexp(scale, &exponent) == 0.5f;
    --exponent;
    return is;
}

// A 32-bit number, as sums and products in 32 bits wrap.
inline int32_t narrow(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x))); }
inline int16_t to_16(int64_t x) { return static_cast<int16_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX)); }  // cut off at the ends

// What the operand of a Softmax is multiplied by: a Mul in front of it.
inline float beta_of(EvalCtx& ctx) { return ctx.node().is(ops::Mul) ? to_floats(ctx.need(1))[0] : 1.0f; }

// The codes of an encoding with one scale, clipped to what a joined activation lets pass.
struct CodeGrid {
    float scale;
    int64_t zero, min, max;
    DType storage;

    explicit CodeGrid(const Encoding& e) : scale(scale_of(e)), zero(e.zero_at()), min(e.qmin), max(e.qmax), storage(e.storage) {}
    int64_t clipped(int64_t code) const { return std::clamp(code, min, max); }
};

// A code of an operand of a Concat as one of the result, as TFLite's kernel does it for unsigned codes: in float32, ties away from zero.
// Codes of 16 bits it copies, whatever their scales are.
inline int64_t concatenated(int64_t code, const CodeGrid& x, const CodeGrid& y) {
    if (y.storage != DType::u8 || (x.scale == y.scale && x.zero == y.zero)) return code;
    const float scale = x.scale * (1.0f / y.scale), bias = static_cast<float>(-x.zero) * scale;
    const float steps = std::round(static_cast<float>(code) * scale + bias);
    return y.clipped(static_cast<int64_t>(std::clamp(steps, -1e9f, 1e9f)) + y.zero);
}

// Output 0 in the codes of its encoding.
inline void give_codes(EvalCtx& ctx, const Dims& dims, std::span<const int64_t> codes) {
    ctx.give(0, from_ints(ctx.out_encoding(0)->storage, dims, codes));
}

// fn(code of input 0) is a code of the result.
template <class Fn>
void map_codes(EvalCtx& ctx, const Fn& fn) {
    map_each_code(ctx, ctx.need(0), ctx.out_encoding(0)->storage, [&](int32_t code) { return static_cast<int64_t>(fn(code)); });
}

// fn(code of input 0 less its zero point), to which the zero point of the result is added.
template <class Fn>
void each_code(EvalCtx& ctx, const Fn& fn) {
    const CodeGrid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    map_codes(ctx, [&](int32_t code) { return y.clipped(fn(narrow(code - x.zero)) + y.zero); });
}

// fn(codes of inputs 0 and 1), broadcast, as elements of `dtype`.
template <class Fn>
void map_pairs(EvalCtx& ctx, DType dtype, const Fn& fn) {
    zip_codes(ctx, ctx.need(0), ctx.need(1), dtype, fn);
}

// ---- texts -----------------------------------------------------------------------------------------------------------------

// A row's functions by a kernel and what makes its parameters of a CodeSite; in a comparison `is` is asked of the kernel's result.
struct AsIs {};

template <auto kernel, auto parameters, auto is = AsIs()>
void eval_text(EvalCtx& ctx) {
    constexpr bool compares = !std::is_same_v<std::remove_const_t<decltype(is)>, AsIs>;
    const auto bound = [&](size_t i) {
        const Tensor* x = ctx.in_encoding(i) ? nullptr : ctx.in(i);
        return x && x->count() == 1 ? std::optional(to_floats(*x)[0]) : std::nullopt;
    };
    const auto t = parameters(CodeSite{ctx, ctx.in_encoding(0), ctx.in_encoding(1), ctx.out_encoding(0), bound(1), bound(2)});
    if constexpr (compares)
        map_pairs(ctx, DType::boolean, [&](int32_t a, int32_t b) { return is(kernel(a, b, &t)); });
    else if constexpr (std::is_invocable_v<decltype(kernel), int32_t, int32_t, decltype(&t)>)
        map_pairs(ctx, ctx.out_encoding(0)->storage, [&](int32_t a, int32_t b) { return kernel(a, b, &t); });
    else
        map_codes(ctx, [&](int32_t code) { return kernel(code, &t); });
}

template <auto kernel, auto parameters, auto is = AsIs()>
constexpr ProfileRow by_text(OpId op, Takes takes, std::string_view name, std::string_view type, std::string_view test = {}) {
    using Numbers = decltype(parameters(std::declval<const CodeSite&>()));
    const auto numbers = [](const CodeSite& site) {
        const Numbers t = parameters(site);
        std::vector<int32_t> items(sizeof(t) / sizeof(int32_t));
        std::memcpy(items.data(), &t, sizeof(t));
        return items;
    };
    constexpr bool pairs = std::is_invocable_v<decltype(kernel), int32_t, int32_t, const Numbers*>;
    return {.op = op,
            .takes = takes,
            .eval = eval_text<kernel, parameters, is>,
            .result = test.empty() ? ProfileRow::Result::encoded : ProfileRow::Result::real,
            .text = {name, type, numbers, pairs, test}};
}
constexpr ProfileRow as_unit(ProfileRow row) {
    row.unit = true;
    return row;
}

// ---- along axes ------------------------------------------------------------------------------------------------------------

// Where each element goes, and how many meet in one.
struct Reduction {
    Dims kept, out;
    std::vector<bool> reduced;
    int64_t count = 0;

    explicit Reduction(EvalCtx& ctx) : kept(ctx.need(0).dims) {
        reduced = reduced_axes(ctx.node(), kept.size(), ctx.in(1));
        const bool keeps = pools_space(ctx.node()) || ctx.integer("keepdims") != 0;
        for (size_t i = 0; i < kept.size(); ++i) {
            if (reduced[i]) kept[i] = 1;
            if (!reduced[i] || keeps) out.push_back(kept[i]);
        }
        const int64_t made = count_of(kept);
        count = made == 0 ? 0 : ctx.need(0).count() / made;
    }
};

template <class Fn>
Codes reduced(EvalCtx& ctx, const Reduction& groups, int64_t start, const Fn& fn) {
    const auto codes = to_ints(ctx.need(0));
    const BroadcastIndex at(groups.kept, ctx.need(0).dims);
    std::vector<int64_t> sums(static_cast<size_t>(count_of(groups.kept)), start);
    for (size_t i = 0; i < codes.size(); ++i) sums[at(i)] = fn(sums[at(i)], codes[i]);
    return sums;
}

// A walk of one operand. More than 8 dims throw Exit::unsupported.
inline walk_t walk_of(const Dims& dims, const Dims& steps) {
    walk_t walk{};
    if (dims.size() > std::size(walk.dims)) throw unsupported("a walk over {} groups of dims", dims.size());
    walk.rank = to_int32(static_cast<int64_t>(std::max<size_t>(dims.size(), 1)));
    walk.dims[0] = 1;
    for (size_t i = 0; i < dims.size(); ++i) walk.dims[i] = to_int32(dims[i]), walk.a[i] = to_int32(steps[i]);
    return walk;
}

// ---- what rows take ------------------------------------------------------------------------------------------------------

inline const std::optional<Encoding>& encoding_at(const Graph& graph, const Node& node, size_t i) { return graph.value(node.in[i]).enc; }

// Input 0 and the result have one scale each and one storage of at most 16 bits.
inline bool fits_one(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& x = encoding_at(graph, node, 0);
    return integer_grid(out) && bits_of(out.storage) <= 16 && integer_grid(x) && x->storage == out.storage;
}
inline constexpr Takes takes_one{fits_one, "operand 0 and the result in codes of one type of up to 16 bits, one scale each"};

inline bool fits_two(const Graph& graph, const Node& node, const Encoding& out) {
    if (node.in.size() != 2 || !takes_one(graph, node, out)) return false;
    const auto& b = encoding_at(graph, node, 1);
    return integer_grid(b) && b->storage == out.storage;
}
inline constexpr Takes takes_two{fits_two, "two operands and the result in codes of one type of up to 16 bits, one scale each"};

inline bool fits_8_bits(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && bits_of(out.storage) == 8;
}
inline constexpr Takes takes_8_bits{fits_8_bits, "operand 0 and the result in 8-bit codes of one type, one scale each"};

// Is the axis the last one of input 0?
inline bool over_last(const Graph& graph, const Node& node, int64_t axis) {
    const Shape& shape = graph.value(node.in[0]).type.shape;
    return shape.ranked && shape.rank() > 0 && (axis == -1 || axis == static_cast<int64_t>(shape.rank()) - 1);
}

// A Mul by a positive constant in front of a Softmax over the last dimension.
bool scales_softmax(const Graph& graph, std::span<const Node* const> nodes);

inline bool same_grid(const Encoding& a, const Encoding& b) { return scale_of(a) == scale_of(b) && a.zero_at() == b.zero_at(); }

}  // namespace quern
