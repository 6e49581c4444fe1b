// Transpose Concat Split Slice: elements moved in runs.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// ---- Transpose -------------------------------------------------------------------------------------------------------------

std::vector<size_t> permutation(const NodeView& node, size_t rank) {
    const auto perm = node.integers("perm");
    std::vector<size_t> out(rank);
    if (!node.has("perm")) {
        for (size_t i = 0; i < rank; ++i) out[i] = rank - 1 - i;
        return out;
    }
    if (perm.size() != rank) throw bad_input("perm has {} items for a tensor of rank {}", perm.size(), rank);
    axis_flags(perm, rank);
    for (size_t i = 0; i < rank; ++i) out[i] = normal_axis(perm[i], rank, "perm");
    return out;
}

void infer_transpose(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    if (!shape.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    Shape out = shape;
    const auto perm = permutation(ctx, shape.rank());
    for (size_t i = 0; i < perm.size(); ++i) out.dims[i] = shape.dims[perm[i]];
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    if (perm.size() <= 1) forward_dims_value(ctx, 0);
}
void eval_transpose(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const auto perm = permutation(ctx, x.dims.size());
    const auto from = strides_of(x.dims);
    Dims dims(perm.size());
    std::vector<int64_t> strides(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) {
        dims[i] = x.dims[perm[i]];
        strides[i] = from[perm[i]];
    }
    eval_strided(ctx, dims, strides);
}

// ---- Concat ----------------------------------------------------------------------------------------------------------------

void concat_dims_values(InferCtx& ctx) {
    std::vector<Dim> all;
    for (size_t i = 0; i < ctx.in_count(); ++i) {
        const auto* dims = ctx.dims_value(i);
        const bool one = ctx.shape(i).ranked && ctx.shape(i).rank() == 1 && ctx.shape(i).dims[0] == Dim::of(1);
        if (dims)
            all.insert(all.end(), dims->begin(), dims->end());
        else if (one && (ctx.dtype(i) == DType::i64 || ctx.dtype(i) == DType::i32))
            all.push_back(Dim::unknown());
        else
            return;
    }
    ctx.set_dims_value(0, std::move(all));
}

void infer_concat(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    for (size_t i = 1; i < ctx.in_count() && out.ranked; ++i) {
        const Shape& shape = ctx.shape(i);
        if (!shape.ranked) {
            const size_t axis = normal_axis(ctx.integer("axis"), out.rank());
            out.dims[axis] = Dim::unknown();
            continue;
        }
        if (shape.rank() != out.rank())
            throw bad_input("inputs have shapes {} and {}, need equal ranks", to_string(ctx.shape(0)), to_string(shape));
        const size_t axis = normal_axis(ctx.integer("axis"), out.rank());
        for (size_t d = 0; d < out.rank(); ++d) {
            if (d == axis) {
                out.dims[d] = combine(out.dims[d], shape.dims[d], '+');
            } else if (out.dims[d].known() && shape.dims[d].known() && out.dims[d] != shape.dims[d]) {
                throw bad_input("inputs have shapes {} and {}, need equal dims but along axis {}", to_string(ctx.shape(0)),
                                to_string(shape), axis);
            } else if (!out.dims[d].known() && (shape.dims[d].known() || out.dims[d].symbol.empty())) {
                out.dims[d] = shape.dims[d];
            }
        }
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    concat_dims_values(ctx);
}

void eval_concat(EvalCtx& ctx) {
    const Tensor& first = ctx.need(0);
    const size_t axis = normal_axis(ctx.integer("axis"), first.dims.size());
    Dims dims = first.dims;
    for (size_t i = 1; i < ctx.in_count(); ++i) {
        const Tensor& next = ctx.need(i);
        need_same_type(first, next);
        Dims expected = first.dims, got = next.dims;
        if (got.size() == expected.size()) expected[axis] = got[axis];
        if (got != expected)
            throw bad_input("inputs have shapes {} and {}, need equal dims but along axis {}", to_string(first.dims), to_string(got), axis);
        dims[axis] += next.dims[axis];
    }
    std::vector<Elements> parts;
    parts.reserve(ctx.in_count());
    for (size_t i = 0; i < ctx.in_count(); ++i) parts.emplace_back(ctx.need(i));
    ElementsOut out(ctx, 0, first.dtype, dims);
    const size_t outer = span_count(dims, 0, axis), row = span_count(dims, axis, dims.size()) * out.size();
    size_t at = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        const size_t piece = span_count(ctx.need(i).dims, axis, dims.size()) * out.size();
        if (piece > 0)
            for (size_t o = 0; o < outer; ++o) std::copy_n(parts[i].data() + o * piece, piece, out.data() + o * row + at);
        at += piece;
    }
    out.finish();
}

// ---- Split -----------------------------------------------------------------------------------------------------------------

// The lengths of `count` parts of a dim, by input `split` or in equal parts of which the last may be shorter.
std::vector<int64_t> part_lengths(std::optional<std::vector<int64_t>> split, int64_t length, size_t count) {
    if (!split) {
        const auto parts = static_cast<int64_t>(count);
        const int64_t part = (length + parts - 1) / parts;
        split.emplace();
        for (int64_t i = 0; i < parts; ++i) split->push_back(std::max<int64_t>(0, std::min(part, length - i * part)));
    }
    int64_t sum = 0;
    for (const int64_t part : *split) {
        if (part < 0 || part > length) throw bad_input("split has a part of {}, need 0 to {}", part, length);
        sum += part;
    }
    if (split->size() != count || sum != length)
        throw bad_input("split is {} for {} outputs of a dimension of {}", to_string(*split), count, length);
    return *split;
}

void infer_split(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto split = known_integers(ctx, 1);
    std::vector<int64_t> lengths;
    size_t axis = 0;
    if (shape.ranked) {
        axis = normal_axis(ctx.integer("axis"), shape.rank());
        if (shape.dims[axis].known() && (split || !ctx.has_in(1)))
            lengths = part_lengths(split, shape.dims[axis].value, ctx.out_count());
        else if (split && split->size() == ctx.out_count())
            lengths = *split;
    }
    for (size_t i = 0; i < ctx.out_count(); ++i) {
        Shape out = shape;
        if (shape.ranked) out.dims[axis] = lengths.empty() ? Dim::unknown() : checked_dim(dim_of_number(lengths[i]));
        ctx.set(i, Type::tensor(ctx.dtype(0), out));
    }
    const auto* value = ctx.dims_value(0);
    if (!value || lengths.empty() || !shape.ranked || shape.rank() != 1) return;
    auto at = value->begin();
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (value->end() - at < lengths[i]) return;
        ctx.set_dims_value(i, std::vector<Dim>(at, at + lengths[i]));
        at += lengths[i];
    }
}

void eval_split(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const auto given = ctx.in(1) ? std::optional(to_ints(*ctx.in(1))) : std::nullopt;
    const auto lengths = part_lengths(given, x.dims[axis], ctx.out_count());
    const Elements in(x);
    const size_t outer = span_count(x.dims, 0, axis), inner = span_count(x.dims, axis + 1, x.dims.size()) * in.size();
    const size_t row = static_cast<size_t>(x.dims[axis]) * inner;
    size_t at = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        const size_t piece = static_cast<size_t>(lengths[i]) * inner;
        if (ctx.wants(i)) {
            Dims dims = x.dims;
            dims[axis] = lengths[i];
            ElementsOut out(ctx, i, x.dtype, dims);
            if (piece > 0)
                for (size_t o = 0; o < outer; ++o) std::copy_n(in.data() + o * row + at, piece, out.data() + o * piece);
            out.finish();
        }
        at += piece;
    }
}

// ---- Slice -----------------------------------------------------------------------------------------------------------------

struct Cut {
    int64_t first, step, count;
};

// Elements first, first + step, ... of a dim of `length`, by Python's rules.
Cut cut_of(int64_t start, int64_t end, int64_t step, int64_t length) {
    if (step == 0) throw bad_input("step is 0");
    const auto absolute = [length](int64_t at) { return at < 0 ? at + length : at; };  // cannot overflow: length >= 0
    const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? length - 1 : length;
    start = std::clamp(absolute(start), std::min(low + (step < 0), high), std::max(high, low));
    if (step < 0 && length == 0) return {0, step, 0};
    end = std::clamp(absolute(end), low, std::max(high, low));
    const uint64_t span =
        step > 0 ? (end > start ? static_cast<uint64_t>(end - start) : 0) : (start > end ? static_cast<uint64_t>(start - end) : 0);
    const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    return {start, step, static_cast<int64_t>(span == 0 ? 0 : (span - 1) / stride + 1)};
}

struct SliceSpec {
    std::vector<int64_t> starts, ends, axes, steps;
};

void complete(SliceSpec& spec, size_t rank) {
    const size_t count = spec.starts.size();
    if (spec.axes.empty() && count > 0) {
        spec.axes.resize(count);
        std::iota(spec.axes.begin(), spec.axes.end(), int64_t{0});
    }
    if (spec.steps.empty()) spec.steps.assign(count, 1);
    if (spec.ends.size() != count || spec.axes.size() != count || spec.steps.size() != count)
        throw bad_input("starts, ends, axes and steps have {}, {}, {} and {} items", count, spec.ends.size(), spec.axes.size(),
                        spec.steps.size());
    axis_flags(spec.axes, rank);
}

void infer_slice(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto axes = known_integers(ctx, 3), steps = known_integers(ctx, 4);
    const auto *starts = ctx.dims_value(1), *ends = ctx.dims_value(2);
    const auto first = known_integers(ctx, 1), last = known_integers(ctx, 2);
    Shape out = shape.ranked ? Shape::of_rank(shape.rank()) : Shape();
    const bool axes_known = axes || !ctx.has_in(3), steps_known = steps || !ctx.has_in(4);
    const std::optional<size_t> count = first ? std::optional(first->size()) : last ? std::optional(last->size()) : std::nullopt;
    if (!shape.ranked || !axes_known || !count) return ctx.set(0, Type::tensor(ctx.dtype(0), out));
    SliceSpec spec{first.value_or(std::vector<int64_t>(*count)), last.value_or(std::vector<int64_t>(*count)),
                   axes.value_or(std::vector<int64_t>()), steps.value_or(std::vector<int64_t>())};
    complete(spec, shape.rank());
    out = shape;
    for (size_t i = 0; i < *count; ++i) {
        const size_t axis = normal_axis(spec.axes[i], shape.rank());
        Dim& dim = out.dims[axis];
        const bool from_start = first && spec.starts[i] == 0 && steps_known && spec.steps[i] == 1;
        if (first && last && steps_known && dim.known())
            dim = Dim::of(cut_of(spec.starts[i], spec.ends[i], spec.steps[i], dim.value).count);
        else if (from_start && last && spec.ends[i] == std::numeric_limits<int64_t>::max())
            continue;
        else if (from_start && ends && same((*ends)[i], dim))
            continue;
        else
            dim = Dim::unknown();
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    const auto* value = ctx.dims_value(0);
    if (!value || shape.rank() != 1 || *count != 1 || !first || !last || !steps_known || !starts) return;
    const Cut cut = cut_of(spec.starts[0], spec.ends[0], spec.steps[0], static_cast<int64_t>(value->size()));
    std::vector<Dim> chosen;
    for (int64_t i = 0; i < cut.count; ++i) chosen.push_back((*value)[static_cast<size_t>(cut.first + i * cut.step)]);
    ctx.set_dims_value(0, std::move(chosen));
}

void eval_slice(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    SliceSpec spec{to_ints(ctx.need(1)), to_ints(ctx.need(2)), {}, {}};
    if (ctx.in(3)) spec.axes = to_ints(*ctx.in(3));
    if (ctx.in(4)) spec.steps = to_ints(*ctx.in(4));
    complete(spec, x.dims.size());
    auto strides = strides_of(x.dims);
    Dims dims = x.dims;
    int64_t offset = 0;
    for (size_t i = 0; i < spec.starts.size(); ++i) {
        const size_t axis = normal_axis(spec.axes[i], dims.size());
        const Cut cut = cut_of(spec.starts[i], spec.ends[i], spec.steps[i], x.dims[axis]);
        offset += cut.count > 0 ? cut.first * strides[axis] : 0;
        if (cut.count > 1) strides[axis] *= cut.step;  // a longer step than the dim is never taken
        dims[axis] = cut.count;
    }
    eval_strided(ctx, dims, strides, offset);
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array transpose_attrs{AttrDef{"perm", AttrKind::integers}};
constexpr std::array concat_attrs{AttrDef{"axis", AttrKind::integer, "", true}};
constexpr std::array split_attrs{AttrDef{"axis", AttrKind::integer, "0"}, AttrDef{"num_outputs", AttrKind::integer}};

constexpr std::array move_table{
    moving("Transpose", {1, 1}, transpose_attrs, infer_transpose, eval_transpose, rules::moved, "dims in another order"),
    moving("Concat", {1, 1}, concat_attrs, infer_concat, eval_concat, rules::all_same.with_runtimes(rules::together, rules::backward),
           "tensors joined along an axis", Trait::variadic_in, Layout::axis),
    moving("Split", {1, 2}, split_attrs, infer_split, eval_split, rules::moved.with_places(0b10), "a tensor cut into parts along an axis",
           Trait::variadic_out, Layout::axis),
    moving("Slice", {3, 5}, {}, infer_slice, eval_slice, rules::moved.with_places(0b11110), "a range with a step along some axes"),
};

}  // namespace

std::span<const Op> move_ops() { return move_table; }

}  // namespace quern
