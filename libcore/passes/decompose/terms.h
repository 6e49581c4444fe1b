// Arithmetic of values as it is written: a + b * 2 adds two nodes. Numbers are of the type of the value beside them.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "libcore/graph/builder.h"
#include "libcore/graph/op_ids.h"

namespace quern::decompose {

struct Term {
    Builder* to;
    ValueId id;

    DType dtype() const { return to->dtype_of(id); }
    operator ValueId() const { return id; }
};

// int64 of rank 1: numbers that are known, or a value, which is made when it is asked for.
struct Numbers {
    std::optional<Dims> known;
    std::function<ValueId()> value;
};

inline Term number(const Term& like, double item) { return {like.to, like.to->scalar(item, like.dtype())}; }
inline Term of(OpId op, const Term& a, Attrs attrs = {}) { return {a.to, a.to->add(op, {a.id}, std::move(attrs))}; }
inline Term of(OpId op, const Term& a, const Term& b, Attrs attrs = {}) { return {a.to, a.to->add(op, {a.id, b.id}, std::move(attrs))}; }
inline Term of(OpId op, const Term& a, double b) { return of(op, a, number(a, b)); }
inline Term where(const Term& condition, const Term& a, const Term& b) { return {a.to, a.to->add(ops::Where, {condition.id, a.id, b.id})}; }
inline Term as(const Term& x, DType dtype) { return {x.to, x.to->cast(x.id, dtype)}; }

inline Term reshaped(const Term& x, const Dims& dims) { return {x.to, x.to->reshape(x.id, dims)}; }
inline Term transposed(const Term& x, const Dims& order) { return of(ops::Transpose, x, {{"perm", order}}); }
inline Term along(OpId op, const Term& x, const Dims& axes, Attrs attrs = {}) {
    return {x.to, x.to->add(op, {x.id, x.to->integers(axes, "axes")}, std::move(attrs))};
}
inline Term squeezed(const Term& x, const Dims& axes) { return along(ops::Squeeze, x, axes); }
inline Term unsqueezed(const Term& x, const Dims& axes) { return along(ops::Unsqueeze, x, axes); }

// From `start` up to `end` of one axis; `furthest`: to the last element.
inline constexpr int64_t furthest = std::numeric_limits<int64_t>::max();
inline Term cut(const Term& x, int64_t start, int64_t end, int64_t axis) {
    return {x.to, x.to->add(ops::Slice,
                            {x.id, x.to->integers({start}, "starts"), x.to->integers({end}, "ends"), x.to->integers({axis}, "axes")})};
}

inline Term operator+(const Term& a, const Term& b) { return of(ops::Add, a, b); }
inline Term operator-(const Term& a, const Term& b) { return of(ops::Sub, a, b); }
inline Term operator*(const Term& a, const Term& b) { return of(ops::Mul, a, b); }
inline Term operator/(const Term& a, const Term& b) { return of(ops::Div, a, b); }
inline Term operator+(const Term& a, double b) { return of(ops::Add, a, b); }
inline Term operator-(const Term& a, double b) { return of(ops::Sub, a, b); }
inline Term operator*(const Term& a, double b) { return of(ops::Mul, a, b); }
inline Term operator-(double a, const Term& b) { return number(b, a) - b; }
inline Term operator/(double a, const Term& b) { return number(b, a) / b; }
inline Term operator-(const Term& a) { return of(ops::Neg, a); }
inline Term operator<(const Term& a, const Term& b) { return of(ops::Less, a, b); }
inline Term operator<(const Term& a, double b) { return of(ops::Less, a, b); }
inline Term operator==(const Term& a, const Term& b) { return of(ops::Equal, a, b); }
inline Term operator==(const Term& a, double b) { return of(ops::Equal, a, b); }
inline Term operator!(const Term& a) { return of(ops::Not, a); }

}  // namespace quern::decompose
