#include "libcore/passes/decompose/index.h"

#include <limits>

#include "libcore/ops/shared/indices.h"

namespace quern::decompose {
namespace {

constexpr int64_t furthest = std::numeric_limits<int64_t>::max();

Term with_integers(OpId op, const Term& x, const Dims& items, Attrs attrs = {}) {
    return {x.to, x.to->add(op, {x.id, x.to->integers(items)}, std::move(attrs))};
}
Term unsqueezed(const Term& x, const Dims& axes) { return with_integers(ops::Unsqueeze, x, axes); }
Term last_reduced(OpId op, const Term& x) { return with_integers(op, x, {-1}, {{"keepdims", int64_t{0}}}); }

}  // namespace

std::vector<ValueId> reversal(Builder& to, ValueId x, const Dims& axes) {
    const Dims back(axes.size(), -1), ends(axes.size(), -furthest);
    return {x, to.integers(back, "starts"), to.integers(ends, "ends"), to.integers(axes, "axes"), to.integers(back, "steps")};
}
Term reversed(const Term& x, const Dims& axes) { return {x.to, x.to->add(ops::Slice, reversal(*x.to, x, axes))}; }

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

Term diagonal(Builder& to, int64_t rows, int64_t columns, int64_t shift) {
    std::vector<int64_t> on(static_cast<size_t>(rows * columns), 0);
    for (int64_t i = 0; i < rows; ++i)
        if (const int64_t column = i + shift; column >= 0 && column < columns) on[static_cast<size_t>(i * columns + column)] = 1;
    return {&to, to.constant(from_ints(DType::boolean, {rows, columns}, on), "diagonal")};
}

}  // namespace quern::decompose
