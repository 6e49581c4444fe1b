// Operators about shapes: they read or change dims and leave the elements alone.
#include <array>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// Output 0: the elements of input 0 as another shape.
void give_reshaped(EvalCtx& ctx, Dims dims) {
    const Tensor& x = ctx.need(0);
    if (count_of(dims) != x.count()) throw bad_input("{} elements cannot take the shape {}", x.count(), to_string(dims));
    ctx.give(0, {x.dtype, std::move(dims), x.data});
}

// ---- Shape, Size -----------------------------------------------------------------------------------------------------------

// The part of `rank` dims that attributes start and end choose.
std::pair<size_t, size_t> chosen_dims(const NodeView& node, size_t rank) {
    const auto r = static_cast<int64_t>(rank);
    const auto clamped = [r](int64_t at) { return std::min(std::max(at < 0 ? at + r : at, int64_t{0}), r); };
    const int64_t first = clamped(node.integer("start")), last = node.has("end") ? clamped(node.integer("end")) : r;
    return {static_cast<size_t>(first), static_cast<size_t>(std::max(first, last))};
}

void infer_shape(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    if (!shape.ranked) return ctx.set(0, Type::tensor(DType::i64, Shape::of_rank(1)));
    const auto [first, last] = chosen_dims(ctx, shape.rank());
    std::vector<Dim> dims(shape.dims.begin() + static_cast<int64_t>(first), shape.dims.begin() + static_cast<int64_t>(last));
    ctx.set(0, Type::tensor(DType::i64, Shape::of_dims({Dim::of(static_cast<int64_t>(dims.size()))})));
    ctx.set_dims_value(0, std::move(dims));
}
void eval_shape(EvalCtx& ctx) {
    const Dims& dims = ctx.need(0).dims;
    const auto [first, last] = chosen_dims(ctx, dims.size());
    const auto out = ctx.out_as<int64_t>(0, {static_cast<int64_t>(last - first)});
    std::copy(dims.begin() + static_cast<int64_t>(first), dims.begin() + static_cast<int64_t>(last), out.begin());
}

void infer_size(InferCtx& ctx) {
    ctx.set(0, Type::tensor(DType::i64, Shape::of_rank(0)));
    if (ctx.shape(0).ranked) ctx.set_dims_value(0, {product_of(ctx.shape(0).dims)});
}
void eval_size(EvalCtx& ctx) { ctx.out_as<int64_t>(0, {})[0] = ctx.need(0).count(); }

// ---- Reshape ---------------------------------------------------------------------------------------------------------------

void remove_one(std::vector<Dim>& dims, const Dim& dim) {
    for (size_t i = 0; i < dims.size(); ++i)
        if (same(dims[i], dim)) return void(dims.erase(dims.begin() + static_cast<int64_t>(i)));
}

// The dim that makes `out` hold as many elements as `in`: common symbols cancel, the rest must be numbers that divide.
Dim missing_dim(std::vector<Dim> in, std::vector<Dim> out) {
    for (const Dim& dim : std::vector<Dim>(out)) {
        if (std::none_of(in.begin(), in.end(), [&](const Dim& other) { return same(dim, other); })) continue;
        remove_one(in, dim);
        remove_one(out, dim);
    }
    const Dim total = product_of(in), rest = product_of(out);
    if (rest == Dim::of(0)) return Dim::unknown();
    if (total.known() && rest.known() && total.value % rest.value != 0)
        throw bad_input("{} elements cannot be divided into rows of {}", total.value, rest.value);
    if (rest == Dim::of(1) || (total.known() && rest.known())) return combine(total, rest, '/');
    // symbols times a number: the numbers may still divide
    Dim number = Dim::of(1), symbols = Dim::of(1);
    for (const Dim& dim : in) (dim.known() ? number : symbols) = combine(dim.known() ? number : symbols, dim, '*');
    if (rest.known() && number.known() && number.value % rest.value == 0) return combine(symbols, Dim::of(number.value / rest.value), '*');
    return Dim::unknown();
}

void check_count(const Shape& in, const Shape& out) {
    const auto from = in.concrete(), to = out.concrete();
    if (from && to && count_of(*from) != count_of(*to))
        throw bad_input("{} elements cannot take the shape {}", count_of(*from), to_string(*to));
}

// The shape that Reshape makes of `in`: `wish` has numbers, symbols, 0 (copy, unless allowed) and at most one -1.
Shape reshaped(const Shape& in, std::span<const Dim> wish, bool allow_zero) {
    Shape out = Shape::of_rank(wish.size());
    std::vector<Dim> left = in.dims, given;  // what is still to be distributed
    std::optional<size_t> open;
    for (size_t i = 0; i < wish.size(); ++i) {
        const auto number = number_of(wish[i]);
        if (number && *number < -1) throw bad_input("shape has the dimension {}, need -1 or more", *number);
        if (number == -1) {
            if (open) throw bad_input("shape has more than one -1");
            open = i;
        } else if (number == 0 && !allow_zero) {
            if (!in.ranked) continue;
            if (i >= in.rank()) throw bad_input("shape copies dimension {} of {}", i, to_string(in));
            out.dims[i] = in.dims[i];
            left[i] = Dim::of(1);
        } else {
            out.dims[i] = wish[i];
            given.push_back(wish[i]);
        }
    }
    if (open && in.ranked) out.dims[*open] = missing_dim(std::move(left), std::move(given));
    check_count(in, out);
    return out;
}

void infer_reshape(InferCtx& ctx) {
    const auto* wish = ctx.dims_value(1);
    const bool allow_zero = ctx.integer("allowzero") != 0;
    Shape shape;
    if (wish)
        shape = reshaped(ctx.shape(0), *wish, allow_zero);
    else if (ctx.shape(1).ranked && ctx.shape(1).rank() == 1 && ctx.shape(1).dims[0].known())
        shape = Shape::of_rank(static_cast<size_t>(std::min<int64_t>(ctx.shape(1).dims[0].value, 64)));
    ctx.set(0, Type::tensor(ctx.dtype(0), shape));
    if (shape.ranked && shape.rank() <= 1) forward_dims_value(ctx, 0);
}
void eval_reshape(EvalCtx& ctx) {
    std::vector<Dim> wish;
    for (const int64_t number : to_ints(ctx.need(1))) wish.push_back(dim_of_number(number));
    const auto dims = reshaped(Shape::of(ctx.need(0).dims), wish, ctx.integer("allowzero") != 0).concrete();
    if (!dims) throw bad_input("{} elements cannot take this shape", ctx.need(0).count());
    give_reshaped(ctx, *dims);
}

void infer_flatten(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    Shape out = Shape::of_rank(2);
    if (shape.ranked) {
        const auto rank = static_cast<int64_t>(shape.rank());
        const int64_t axis = ctx.integer("axis");
        if (axis < -rank || axis > rank) throw bad_input("axis is {}, need one in [{}, {}]", axis, -rank, rank);
        const auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
        out.dims = {product_of(std::span(shape.dims).first(at)), product_of(std::span(shape.dims).subspan(at))};
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}
void eval_flatten(EvalCtx& ctx) {
    const Dims& dims = ctx.need(0).dims;
    const auto rank = static_cast<int64_t>(dims.size());
    const int64_t axis = ctx.integer("axis");
    if (axis < -rank || axis > rank) throw bad_input("axis is {}, need one in [{}, {}]", axis, -rank, rank);
    const auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    give_reshaped(ctx, {count_of(std::span(dims).first(at)), count_of(std::span(dims).subspan(at))});
}

// ---- Squeeze, Unsqueeze ----------------------------------------------------------------------------------------------------

// The dims of a squeezed shape; `axes` absent: every dim of length 1.
template <class D, class IsOne>
std::vector<D> squeezed(const std::vector<D>& dims, const std::optional<std::vector<int64_t>>& axes, const IsOne& is_one) {
    const auto flags = axis_flags(axes.value_or(std::vector<int64_t>()), dims.size());
    std::vector<D> out;
    for (size_t i = 0; i < dims.size(); ++i)
        if (axes ? !flags[i] : !is_one(dims[i])) out.push_back(dims[i]);
    return out;
}

template <class D>
std::vector<D> unsqueezed(const std::vector<D>& dims, std::span<const int64_t> axes, const D& one) {
    const auto flags = axis_flags(axes, dims.size() + axes.size());
    std::vector<D> out;
    auto next = dims.begin();
    for (const bool added : flags) out.push_back(added ? one : *next++);
    return out;
}

void infer_squeeze(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto axes = known_integers(ctx, 1);
    const bool guess = !axes && (ctx.has_in(1) || !shape.fixed());
    Shape out;
    if (shape.ranked && !guess) {
        if (axes)
            for (const int64_t axis : *axes)
                if (const Dim& dim = shape.dims[normal_axis(axis, shape.rank())]; dim.known() && dim.value != 1)
                    throw bad_input("axis {} of {} is not 1", axis, to_string(shape));
        out = Shape::of_dims(squeezed(shape.dims, axes, [](const Dim& dim) { return dim == Dim::of(1); }));
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    forward_dims_value(ctx, 0);
}
void eval_squeeze(EvalCtx& ctx) {
    const Dims& dims = ctx.need(0).dims;
    const Tensor* given = ctx.in(1);
    const auto axes = given ? std::optional(to_ints(*given)) : std::nullopt;
    give_reshaped(ctx, squeezed(dims, axes, [](int64_t dim) { return dim == 1; }));
}

void infer_unsqueeze(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto axes = known_integers(ctx, 1);
    Shape out;
    if (shape.ranked && axes) out = Shape::of_dims(unsqueezed(shape.dims, *axes, Dim::of(1)));
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    if (shape.ranked && shape.rank() == 0) forward_dims_value(ctx, 0);
}
void eval_unsqueeze(EvalCtx& ctx) { give_reshaped(ctx, unsqueezed(ctx.need(0).dims, to_ints(ctx.need(1)), int64_t{1})); }

// ---- Expand, Identity --------------------------------------------------------------------------------------------------------

void infer_expand(InferCtx& ctx) {
    const auto* wish = ctx.dims_value(1);
    Shape shape;
    if (wish) {
        Shape other = Shape::of_dims({});
        for (const Dim& dim : *wish) other.dims.push_back(number_of(dim) == -1 ? Dim::of(1) : checked_dim(dim));
        shape = broadcast(ctx.shape(0), other);
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), shape));
    const auto* value = ctx.dims_value(0);
    if (value && value->size() == 1 && shape.rank() == 1 && shape.dims[0].known() && shape.dims[0].value <= 64)
        ctx.set_dims_value(0, std::vector<Dim>(static_cast<size_t>(shape.dims[0].value), value->front()));
}
void eval_expand(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    auto wish = to_ints(ctx.need(1));
    for (int64_t& dim : wish)
        if (dim == -1) dim = 1;
    const Dims dims = broadcast(x.dims, wish);
    check_size(x.dtype, dims);
    const auto from = strides_of(x.dims);
    std::vector<int64_t> strides(dims.size(), 0);
    for (size_t i = 0; i < x.dims.size(); ++i)
        if (x.dims[i] != 1) strides[dims.size() - x.dims.size() + i] = from[i];
    eval_strided(ctx, dims, strides);
}

void infer_identity(InferCtx& ctx) {
    infer_same(ctx);
    forward_dims_value(ctx, 0);
}
void eval_identity(EvalCtx& ctx) { ctx.give(0, ctx.in(0) ? *ctx.in(0) : Tensor()); }  // an empty optional stays one

void infer_dropout(InferCtx& ctx) {
    infer_same(ctx);
    if (ctx.out_count() > 1) ctx.set(1, Type::tensor(DType::boolean, ctx.shape(0)));
}
void eval_dropout(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Tensor* training = ctx.in(2);
    if (training && training->count() == 1 && to_ints(*training)[0] != 0) {
        const Tensor* ratio = ctx.in(1);
        if (!ratio || ratio->count() != 1 || to_doubles(*ratio)[0] != 0)
            throw unsupported("the training mode of Dropout is not implemented");
    }
    ctx.give(0, x);
    if (ctx.out_count() < 2 || !ctx.wants(1)) return;
    const auto mask = ctx.out_as<bool>(1, x.dims);
    std::fill(mask.begin(), mask.end(), true);
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array shape_attrs{AttrDef{"end", AttrKind::integer}, AttrDef{"start", AttrKind::integer, "0"}};
constexpr std::array reshape_attrs{AttrDef{"allowzero", AttrKind::integer, "0"}};
constexpr std::array flatten_attrs{AttrDef{"axis", AttrKind::integer, "1"}};
constexpr std::array dropout_attrs{AttrDef{"seed", AttrKind::integer}};
constexpr QuantRule moved = rules::moved, moved_to = rules::moved.with_places(0b10);
constexpr Trait moves = Trait::data_movement;

// The same elements in another shape: nothing is moved.
constexpr Op viewing(std::string_view name, Arity in, std::span<const AttrDef> attrs, void (*infer)(InferCtx&), void (*eval)(EvalCtx&),
                     QuantRule quant, std::string_view doc) {
    return {.name = name,
            .in = in,
            .attrs = attrs,
            .traits = moves,
            .types = movable,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .doc = doc};
}

constexpr std::array shape_table{
    Op{.name = "Shape",
       .attrs = shape_attrs,
       .traits = Trait::shape_only,
       .types = movable,
       .infer = infer_shape,
       .eval = eval_shape,
       .doc = "the dims of a tensor"},
    Op{.name = "Size",
       .traits = Trait::shape_only,
       .types = movable,
       .infer = infer_size,
       .eval = eval_size,
       .doc = "the number of elements of a tensor"},
    viewing("Reshape", {2, 2}, reshape_attrs, infer_reshape, eval_reshape, moved_to, "the same elements in another shape"),
    viewing("Flatten", {1, 1}, flatten_attrs, infer_flatten, eval_flatten, moved, "the same elements as a matrix"),
    viewing("Squeeze", {1, 2}, {}, infer_squeeze, eval_squeeze, moved_to, "dims of length 1 removed"),
    viewing("Unsqueeze", {2, 2}, {}, infer_unsqueeze, eval_unsqueeze, moved_to, "dims of length 1 inserted"),
    moving("Expand", {2, 2}, {}, infer_expand, eval_expand, rules::same.with_runtimes(rules::together).with_places(0b10),
           "elements repeated to a broadcast shape"),
    Op{.name = "Identity",
       .traits = moves | Trait::elementwise | Trait::idempotent | Trait::monotone,
       .types = movable,
       .infer = infer_identity,
       .eval = eval_identity,
       .quant = moved,
       .layout = Layout::agnostic,
       .doc = "the input"},
    Op{.name = "Dropout",
       .in = {1, 3},
       .out = {1, 2},
       .attrs = dropout_attrs,
       .traits = moves | Trait::elementwise | Trait::idempotent,
       .types = movable,
       .infer = infer_dropout,
       .eval = eval_dropout,
       .quant = moved,
       .layout = Layout::agnostic,
       .doc = "the input, as in inference"},
};

}  // namespace

std::span<const Op> shape_ops() { return shape_table; }

}  // namespace quern
