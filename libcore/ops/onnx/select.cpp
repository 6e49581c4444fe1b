// Operators whose output depends on which elements there are: OneHot NonZero Unique Compress.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

// ---- OneHot ------------------------------------------------------------------------------------------------------------------

void infer_one_hot(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (out.ranked) {
        const size_t axis = normal_axis(ctx.integer("axis"), out.rank() + 1);
        const auto* depth = ctx.dims_value(1);
        const Dim length = depth && depth->size() == 1 ? checked_dim(depth->front()) : Dim::unknown();
        out.dims.insert(out.dims.begin() + static_cast<int64_t>(axis), length);
    }
    ctx.set(0, Type::tensor(ctx.dtype(2), out));
}

void eval_one_hot(EvalCtx& ctx) {
    const Tensor &which = ctx.need(0), &depth_in = ctx.need(1), &values = ctx.need(2);
    if (depth_in.count() != 1 || values.count() != 2)
        throw bad_input("depth is {} and values {}, need one and two numbers", to_string(depth_in.dims), to_string(values.dims));
    const int64_t depth = to_ints(depth_in)[0];
    if (depth < 0) throw bad_input("depth is {}, need 0 or more", depth);
    const size_t axis = normal_axis(ctx.integer("axis"), which.dims.size() + 1);
    Dims dims = which.dims;
    dims.insert(dims.begin() + static_cast<int64_t>(axis), depth);
    check_size(values.dtype, dims);
    const auto indices = to_ints(which);
    const bool from_end = !ctx.node().attrs.contains(negative_outside_key);
    const Elements value(values);
    ElementsOut out(ctx, 0, values.dtype, dims);
    if (out.count() > 0) fill_elements(out.data(), out.count(), value.at(0), value.size());
    const size_t inner = span_count(which.dims, axis, which.dims.size());
    for (size_t i = 0; i < indices.size(); ++i) {
        const int64_t index = indices[i] < 0 && from_end ? indices[i] + depth : indices[i];
        if (index < 0 || index >= depth) continue;
        const size_t at = (i / inner * static_cast<size_t>(depth) + static_cast<size_t>(index)) * inner + i % inner;
        std::memcpy(out.at(at), value.at(1), value.size());
    }
    out.finish();
}

// ---- NonZero -----------------------------------------------------------------------------------------------------------------

void infer_non_zero(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const Dim rank = shape.ranked ? Dim::of(static_cast<int64_t>(shape.rank())) : Dim::unknown();
    ctx.set(0, Type::tensor(DType::i64, Shape::of_dims({rank, Dim::unknown()})));
}
void eval_non_zero(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    std::vector<size_t> places;
    with_ordered(x.dtype, [&](auto zero) {
        const Numbers<decltype(zero)> in(x);
        for (size_t i = 0; i < in.size(); ++i)
            if (in[i] != zero) places.push_back(i);
    });
    const auto strides = strides_of(x.dims);
    const auto out = ctx.out_as<int64_t>(0, {static_cast<int64_t>(x.dims.size()), static_cast<int64_t>(places.size())});
    for (size_t d = 0; d < x.dims.size(); ++d)
        for (size_t i = 0; i < places.size(); ++i) out[d * places.size() + i] = static_cast<int64_t>(places[i]) / strides[d] % x.dims[d];
}

// ---- Compress ----------------------------------------------------------------------------------------------------------------

void infer_compress(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (!ctx.has("axis"))
        out = Shape::of_rank(1);
    else if (out.ranked)
        out.dims[normal_axis(ctx.integer("axis"), out.rank())] = Dim::unknown();
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}
void eval_compress(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &condition = ctx.need(1);
    need_type(condition.dtype, DType::boolean, "the condition");
    Dims dims = ctx.has("axis") ? x.dims : Dims{x.count()};
    const size_t axis = ctx.has("axis") ? normal_axis(ctx.integer("axis"), dims.size()) : 0;
    const auto flags = condition.view<bool>();
    std::vector<size_t> kept;
    for (size_t i = 0; i < flags.size(); ++i) {
        if (!flags[i]) continue;
        if (static_cast<int64_t>(i) >= dims[axis])
            throw bad_input("condition has {} items for a dimension of {}", flags.size(), dims[axis]);
        kept.push_back(i);
    }
    const Elements in(x);
    const size_t outer = span_count(dims, 0, axis), row = span_count(dims, axis + 1, dims.size()) * in.size();
    const auto length = static_cast<size_t>(dims[axis]);
    dims[axis] = static_cast<int64_t>(kept.size());
    ElementsOut out(ctx, 0, x.dtype, dims);
    for (size_t o = 0; o < outer && row > 0; ++o)
        for (size_t k = 0; k < kept.size(); ++k)
            std::memcpy(out.data() + (o * kept.size() + k) * row, in.data() + (o * length + kept[k]) * row, row);
    out.finish();
}

// ---- Unique ------------------------------------------------------------------------------------------------------------------

void infer_unique(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (!ctx.has("axis"))
        out = Shape::of_rank(1);
    else if (out.ranked)
        out.dims[normal_axis(ctx.integer("axis"), out.rank())] = Dim::unknown();
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    for (size_t i = 1; i < ctx.out_count(); ++i) ctx.set(i, Type::tensor(DType::i64, Shape::of_rank(1)));
}

// Sorts and joins `count` items by `compare` (negative, 0, positive, of two items).
struct Distinct {
    std::vector<size_t> first;  // the first occurrence of each, in output order
    std::vector<int64_t> inverse, counts;
};
template <class Compare>
Distinct distinct(size_t count, bool sorted, const Compare& compare) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return compare(a, b) < 0; });
    Distinct out{{}, std::vector<int64_t>(count), {}};
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || compare(order[i - 1], order[i]) != 0) {
            out.first.push_back(order[i]);
            out.counts.push_back(0);
        }
        ++out.counts.back();
        out.inverse[order[i]] = static_cast<int64_t>(out.first.size()) - 1;
    }
    if (sorted) return out;
    std::vector<size_t> by_place(out.first.size());
    std::iota(by_place.begin(), by_place.end(), size_t{0});
    std::sort(by_place.begin(), by_place.end(), [&](size_t a, size_t b) { return out.first[a] < out.first[b]; });
    Distinct placed{{}, out.inverse, {}};
    std::vector<int64_t> rank(by_place.size());
    for (size_t i = 0; i < by_place.size(); ++i) {
        placed.first.push_back(out.first[by_place[i]]);
        placed.counts.push_back(out.counts[by_place[i]]);
        rank[by_place[i]] = static_cast<int64_t>(i);
    }
    for (int64_t& item : placed.inverse) item = rank[static_cast<size_t>(item)];
    return placed;
}

template <class T>
int order_of(const T& a, const T& b) {
    return a < b ? -1 : b < a ? 1 : a == b ? 0 : static_cast<int>(a != a) - static_cast<int>(b != b);  // NaN last, equal to itself
}

// Calls fn(compare) where compare orders elements a and b of x.
template <class Fn>
void with_element_order(const Tensor& x, const Fn& fn) {
    if (x.dtype == DType::string) return fn([&](size_t a, size_t b) { return order_of(string_at(x, a), string_at(x, b)); });
    need_type(x.dtype, dtypes::all, "input 0");
    with_ordered(x.dtype, [&](auto zero) {
        const Numbers<decltype(zero)> in(x);
        fn([&](size_t a, size_t b) { return order_of(in[a], in[b]); });
    });
}

void eval_unique(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    Dims dims = ctx.has("axis") ? x.dims : Dims{x.count()};
    const size_t axis = ctx.has("axis") ? normal_axis(ctx.integer("axis"), dims.size()) : 0;
    const size_t outer = span_count(dims, 0, axis), inner = span_count(dims, axis + 1, dims.size());
    const auto length = static_cast<size_t>(dims[axis]);
    Distinct found;
    with_element_order(x, [&](const auto& compare) {
        found = distinct(length, ctx.integer("sorted") != 0, [&](size_t a, size_t b) {
            for (size_t o = 0; o < outer; ++o)
                for (size_t i = 0; i < inner; ++i)
                    if (const int c = compare((o * length + a) * inner + i, (o * length + b) * inner + i)) return c;
            return 0;
        });
    });
    dims[axis] = static_cast<int64_t>(found.first.size());
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, dims);
    const size_t row = inner * in.size(), kept = found.first.size();
    for (size_t o = 0; o < outer && row > 0; ++o)
        for (size_t k = 0; k < kept; ++k)
            std::memcpy(out.data() + (o * kept + k) * row, in.data() + (o * length + found.first[k]) * row, row);
    out.finish();
    const std::vector<int64_t> first(found.first.begin(), found.first.end());
    const std::array<const std::vector<int64_t>*, 3> more{&first, &found.inverse, &found.counts};
    for (size_t i = 0; i < more.size(); ++i)
        if (i + 1 < ctx.out_count() && ctx.wants(i + 1)) ctx.give(i + 1, Tensor::vector<int64_t>(*more[i]));
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array one_hot_attrs{AttrDef{"axis", AttrKind::integer, "-1"}};
constexpr std::array compress_attrs{AttrDef{"axis", AttrKind::integer}};
constexpr std::array unique_attrs{AttrDef{"axis", AttrKind::integer}, AttrDef{"sorted", AttrKind::integer, "1"}};

constexpr std::array select_table{
    Op{.name = "OneHot",
       .in = {3, 3},
       .attrs = one_hot_attrs,
       .types = dtypes::numbers,
       .infer = infer_one_hot,
       .eval = eval_one_hot,
       .quant = rules::none.with_places(0b11),
       .doc = "one of two values: at the index, and elsewhere"},
    plain("NonZero", {1, 1}, {}, dtypes::numbers | DType::boolean, infer_non_zero, eval_non_zero, "places of the elements that are not 0",
          cost_reading),
    moving("Compress", {2, 2}, compress_attrs, infer_compress, eval_compress, rules::same, "slices for which a condition holds"),
    Op{.name = "Unique",
       .out = {1, 4},
       .attrs = unique_attrs,
       .types = dtypes::numbers | DType::boolean | DType::string,
       .infer = infer_unique,
       .eval = eval_unique,
       .cost = cost_reading,
       .doc = "distinct elements or slices, places and counts"},
};

}  // namespace

std::span<const Op> select_ops() { return select_table; }

}  // namespace quern
