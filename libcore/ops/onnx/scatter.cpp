// Elements written by index: ScatterElements ScatterND TensorScatter.
#include <array>
#include <cstring>

#include "libcore/ops/shared/cache_rows.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

enum class Reduction : uint8_t { none, add, mul, max, min };

Reduction reduction_of(const NodeView& node) {
    constexpr std::array names{"none", "add", "mul", "max", "min"};
    const std::string text = node.text("reduction");
    for (size_t i = 0; i < names.size(); ++i)
        if (text == names[i]) return static_cast<Reduction>(i);
    throw bad_input("reduction is \"{}\", need none, add, mul, max or min", text);
}

template <class T>
T reduced(Reduction reduction, T held, T update) {
    switch (reduction) {
        case Reduction::none: return update;
        case Reduction::add: return static_cast<T>(held + update);
        case Reduction::mul: return static_cast<T>(held * update);
        case Reduction::max: return update > held || update != update ? update : held;
        case Reduction::min: return update < held || update != update ? update : held;
    }
    return update;
}

// Runs `body(write)` where write(place, source, count) puts `count` updates from `source` on at `place` of the data.
template <class Body>
void scatter(EvalCtx& ctx, const Tensor& x, const Tensor& updates, Reduction reduction, const Body& body) {
    need_same_type(x, updates);
    if (reduction == Reduction::none) {
        const Elements in(x), from(updates);
        ElementsOut out(ctx, 0, x.dtype, x.dims);
        if (out.count() > 0) std::memmove(out.data(), in.data(), out.count() * in.size());
        body([&](size_t place, size_t source, size_t count) { std::memcpy(out.at(place), from.at(source), count * in.size()); });
        return out.finish();
    }
    need_type(x.dtype, dtypes::numbers | DType::boolean, "data to reduce");
    with_ordered(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // integers wrap around
        const Numbers<T> in(x), from(updates);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        std::copy(in.span().begin(), in.span().end(), out.span().begin());
        const bool wraps = reduction == Reduction::add || reduction == Reduction::mul;
        body([&](size_t place, size_t source, size_t count) {
            for (size_t i = 0; i < count; ++i) {
                T& held = out[place + i];
                const T update = from[source + i];
                held = wraps ? static_cast<T>(reduced(reduction, static_cast<Wide>(held), static_cast<Wide>(update)))
                             : reduced(reduction, held, update);
            }
        });
    });
}

void eval_scatter_elements(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &which = ctx.need(1), &updates = ctx.need(2);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const auto indices = indices_of(which);
    if (updates.dims != which.dims)
        throw bad_input("updates are {}, need {} as the indices", to_string(updates.dims), to_string(which.dims));
    scatter(ctx, x, updates, reduction_of(ctx), [&](const auto& write) {
        for_each_along(x.dims, which.dims, axis,
                       [&](size_t i, size_t base, size_t stride) { write(base + checked_index(indices[i], x.dims[axis]) * stride, i, 1); });
    });
}

void eval_scatter_nd(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &which = ctx.need(1), &updates = ctx.need(2);
    const auto indices = indices_of(which);
    if (which.dims.empty()) throw bad_input("indices are a scalar, need rank 1 or more");
    const TupleIndex tuple(x.dims, which.dims.back());
    Dims expected(which.dims.begin(), which.dims.end() - 1);
    expected.insert(expected.end(), x.dims.begin() + static_cast<int64_t>(tuple.depth()), x.dims.end());
    if (updates.dims != expected) throw bad_input("updates are {}, need {}", to_string(updates.dims), to_string(expected));
    const size_t total = span_count(which.dims, 0, which.dims.size() - 1);
    scatter(ctx, x, updates, reduction_of(ctx), [&](const auto& write) {
        for (size_t i = 0; i < total && tuple.run() > 0; ++i)
            write(tuple.at(indices.data() + i * tuple.depth()), i * tuple.run(), tuple.run());
    });
}

// A cache with new rows put in at an index of its own for each batch.
void eval_tensor_scatter(EvalCtx& ctx) {
    const Tensor &cache = ctx.need(0), &update = ctx.need(1);
    const CacheRows rows(CacheRowsRule(ctx), cache.dims, update.dims, ctx.in(2));
    scatter(ctx, cache, update, Reduction::none, [&](const auto& write) { rows.each(write); });
}

constexpr std::array elements_attrs{AttrDef{"axis", AttrKind::integer, "0"}, AttrDef{"reduction", AttrKind::text, "none"}};
constexpr std::array nd_attrs{AttrDef{"reduction", AttrKind::text, "none"}};
constexpr std::array cache_attrs{AttrDef{"axis", AttrKind::integer, "-2"}, AttrDef{"mode", AttrKind::text, "linear"}};

constexpr QuantRule scattered = QuantRule{.kind = rules::Kind::all_same, .activations = 5}.with(QuantTrait::hands_on).with_places(0b10);

constexpr std::array scatter_table{
    Op{.name = "ScatterElements",
       .in = {3, 3},
       .attrs = elements_attrs,
       .types = movable,
       .infer = infer_same,
       .eval = eval_scatter_elements,
       .quant = scattered,
       .cost = cost_movement,
       .doc = "elements along an axis replaced or reduced, by index"},
    Op{.name = "ScatterND",
       .in = {3, 3},
       .attrs = nd_attrs,
       .types = movable,
       .infer = infer_same,
       .eval = eval_scatter_nd,
       .quant = scattered,
       .cost = cost_movement,
       .doc = "slices replaced or reduced, by tuples of indices"},
    moving("TensorScatter", {2, 3}, cache_attrs, infer_same, eval_tensor_scatter, {.kind = QuantRule::Kind::all_same, .activations = 3},
           "rows written into a cache"),
};

}  // namespace

std::span<const Op> scatter_ops() { return scatter_table; }

}  // namespace quern
