#include "libcore/passes/decompose/index.h"

#include <algorithm>
#include <limits>

#include "libcore/ops/shared/indices.h"

namespace quern::decompose {
namespace {

Term last_reduced(OpId op, const Term& x) { return along(op, x, {-1}, {{"keepdims", int64_t{0}}}); }

// Dims of a tensor, some of them beside each other.
Dims dims_between(int64_t from, int64_t to) {
    Dims dims;
    for (int64_t axis = from; axis < to; ++axis) dims.push_back(axis);
    return dims;
}
Dims chained(std::initializer_list<Dims> parts) {
    Dims all;
    for (const Dims& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

Term select(const Term& condition, size_t condition_rank, const Term& a, const Term& b, size_t rank) {
    if (condition_rank != 1 || rank < 2) return where(condition, a, b);
    Dims column(rank, 1);
    column[0] = -1;
    return where(reshaped(condition, column), a, b);
}

Term places_of(const Term& x) { return transposed(of(ops::NonZero, x), {1, 0}); }

Term reduced(OpId op, const Term& x, const Numbers& axes, bool keep) {
    const Attrs attrs{{"keepdims", int64_t{keep}}, {"noop_with_empty_axes", int64_t{1}}};
    if (!axes.known) return of(op, x, reshaped({x.to, axes.value()}, {-1}), attrs);
    Dims once = *axes.known;
    std::ranges::sort(once);
    once.erase(std::unique(once.begin(), once.end()), once.end());
    return along(op, x, once, attrs);
}

// The axis comes right behind the batch, and what was between goes back.
Term gather_in_batches(const Term& x, int64_t rank, const Term& indices, int64_t indices_rank, int64_t axis, int64_t batch) {
    const int64_t found = indices_rank - batch, between = axis - batch;
    const Dims order = chained({dims_between(0, batch), {axis}, dims_between(batch, axis), dims_between(axis + 1, rank)});
    const Term taken = of(ops::GatherND, between > 0 ? transposed(x, order) : x, unsqueezed(indices, {-1}),
                          {{"batch_dims", batch}, {negative_outside_key, int64_t{1}}});
    if (between == 0 || found == 0) return taken;
    const int64_t middle = batch + found, all = rank - 1 + found;
    return transposed(taken, chained({dims_between(0, batch), dims_between(middle, middle + between), dims_between(batch, middle),
                                      dims_between(middle + between, all)}));
}

Term scatter_nd(const Term& places, const Term& updates, const Term& shape) {
    const ValueId zeros = places.to->add(ops::Expand, {number(updates, 0), shape});
    return {places.to, places.to->add(ops::ScatterND, {zeros, places, updates}, {{"reduction", std::string("add")}})};
}

Term bucket(const Term& x, const Term& bounds, OpId op, DType counted) {
    return last_reduced(ops::ReduceSum, as(of(op, unsqueezed(x, {-1}), bounds), counted));
}

Term one_hot(const Term& indices, const Term& depth, const Term& on, const Term& off, int64_t axis) {
    Builder& to = *indices.to;
    const Term first = unsqueezed(off, {0}), second = unsqueezed(on, {0});
    const ValueId values = to.add(ops::Concat, {first.id, second.id}, {{"axis", int64_t{0}}});
    return {&to, to.add(ops::OneHot, {indices.id, depth.id, values}, {{"axis", axis}, {negative_outside_key, int64_t{1}}})};
}

Found find(const Term& x, const Term& keys) {
    const Term same = as(unsqueezed(x, {-1}) == keys, DType::i32);
    const Term place = of(ops::ArgMax, same, {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}});
    return {place, last_reduced(ops::ReduceMax, same)};
}

Term segments(const Term& data, const Term& ids, const Term& count, const Term& empty, std::string_view reduction) {
    Builder& to = *data.to;
    const auto outer = static_cast<int64_t>(to.type_of(ids.id).shape.rank());
    const ValueId one = to.integers({1});
    const Term places = where(ids < 0.0, count, ids);  // one row more, which is cut off
    const ValueId inner =
        to.add(ops::Slice, {to.add(ops::Shape, {data.id}), to.integers({outer}), to.integers({furthest}), to.integers({0})});
    const ValueId dims = to.add(ops::Concat, {to.add(ops::Add, {count.id, one}), inner}, {{"axis", int64_t{0}}});
    const ValueId start = to.add(ops::Expand, {empty.id, dims});
    const Term tuples = unsqueezed(places, {-1});
    const ValueId all = to.add(ops::ScatterND, {start, tuples.id, data.id}, {{"reduction", std::string(reduction)}});
    return {&to, to.add(ops::Slice, {all, to.integers({0}), count.id, to.integers({0})})};
}

std::optional<Term> nothing(const Term& like, std::string_view reduction) {
    if (reduction == "mul") return number(like, 1);
    if (reduction == "add") return number(like, 0);
    if (like.dtype() != DType::f32) return std::nullopt;
    constexpr double far = std::numeric_limits<float>::max();
    return number(like, reduction == "min" ? far : -far);
}

Term rows_of(const Term& ids) { return along(ops::ReduceMax, ids, {0}, {{"keepdims", int64_t{1}}}) + Term{ids.to, ids.to->integers({1})}; }

Term broadcast_shapes(const Term& a, int64_t a_length, const Term& b, int64_t b_length) {
    const Term one = number(a, 1);
    const auto filled = [&](const Term& shape, int64_t length) {
        const int64_t missing = std::max(a_length, b_length) - length;
        return missing == 0 ? shape : Term{a.to, a.to->add(ops::Pad, {shape, a.to->integers({missing, 0}, "pads"), one})};
    };
    const Term left = filled(a, a_length), right = filled(b, b_length);
    return where(left == one, right, left);
}

Term diagonal(Builder& to, int64_t rows, int64_t columns, int64_t shift) {
    std::vector<int64_t> on(static_cast<size_t>(rows * columns), 0);
    for (int64_t i = 0; i < rows; ++i)
        if (const int64_t column = i + shift; column >= 0 && column < columns) on[static_cast<size_t>(i * columns + column)] = 1;
    return {&to, to.constant(from_ints(DType::boolean, {rows, columns}, on), "diagonal")};
}

}  // namespace quern::decompose
