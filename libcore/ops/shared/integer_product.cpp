#include "libcore/ops/shared/integer_product.h"

#include <algorithm>
#include <optional>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/row_products.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

ProductShape product_shape(Dims a, Dims b) {
    if (a.empty() || b.empty()) throw bad_input("operands are {} and {}, need rank 1 or more", to_string(a), to_string(b));
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    ProductShape shape;
    shape.m = a[a.size() - 2];
    shape.k = a.back();
    shape.n = b.back();
    if (b[b.size() - 2] != shape.k) throw bad_input("matrices {} and {} do not multiply", to_string(a), to_string(b));
    shape.a_batch.assign(a.begin(), a.end() - 2);
    shape.b_batch.assign(b.begin(), b.end() - 2);
    shape.batch = broadcast(shape.a_batch, shape.b_batch);
    shape.out = shape.batch;
    if (!row) shape.out.push_back(shape.m);
    if (!column) shape.out.push_back(shape.n);
    return shape;
}

Shape product_shape(Shape a, Shape b) {
    if (!a.ranked || !b.ranked) return {};
    if (a.dims.empty() || b.dims.empty()) throw bad_input("operands are {} and {}, need rank 1 or more", to_string(a), to_string(b));
    const bool row = a.rank() == 1, column = b.rank() == 1;
    if (row) a.dims.insert(a.dims.begin(), Dim::of(1));
    if (column) b.dims.push_back(Dim::of(1));
    const Dim &k = a.dims.back(), &other = b.dims[b.rank() - 2];
    if (k.known() && other.known() && k.value != other.value)
        throw bad_input("matrices {} and {} do not multiply", to_string(a), to_string(b));
    const auto batch = [](const Shape& s) { return Shape::of_dims({s.dims.begin(), s.dims.end() - 2}); };
    Shape out = broadcast(batch(a), batch(b));
    if (!row) out.dims.push_back(a.dims[a.rank() - 2]);
    if (!column) out.dims.push_back(b.dims.back());
    return out;
}

MatrixOperands::MatrixOperands(EvalCtx& ctx)
    : a_dims(ctx.need(0).dims), b_dims(ctx.need(1).dims), a(centered_input(ctx, 0)), b(centered_input(ctx, 1)) {
    if (!ctx.node().is(ops::Gemm)) return;
    if (a_dims.size() != 2 || b_dims.size() != 2)
        throw bad_input("operands are {} and {}, need matrices", to_string(a_dims), to_string(b_dims));
    if (ctx.integer("transA") != 0) {
        a = a.swapped(1, a_dims[0], a_dims[1]);
        std::swap(a_dims[0], a_dims[1]);
    }
    b_transposed = ctx.integer("transB") != 0;
    if (b_transposed) std::swap(b_dims[0], b_dims[1]);
}

namespace {

// The batches one by one.
template <class Y>
std::vector<Y> multiply(const ProductShape& shape, const Factors& a, const Factors& b) {
    std::vector<Y> out(static_cast<size_t>(count_of(shape.batch) * shape.m * shape.n), 0);
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    over_parts(a, b, [&](const int16_t* x, const int16_t* w, int64_t scale, int64_t block) {
        for (size_t i = 0; i < static_cast<size_t>(count_of(shape.batch)); ++i)
            add_products({x + at_a(i) * static_cast<size_t>(shape.m * shape.k), w + at_b(i) * static_cast<size_t>(shape.k * shape.n),
                          shape.m, shape.n, shape.k, block, scale, shape.n, 1},
                         out.data() + i * static_cast<size_t>(shape.m * shape.n));
    });
    return out;
}

}  // namespace

template <class Acc>
std::vector<Acc> integer_matmul(const ProductShape& shape, const Factors& a, const Factors& b, bool b_transposed) {
    std::optional<Factors> own;
    if (!b_transposed) own = b.swapped(count_of(shape.b_batch), shape.k, shape.n);
    if (const Factors& columns = own ? *own : b; must_split(a, columns)) own = columns.halves();
    const Factors& columns = own ? *own : b;
    if (has_narrow_sums(a, columns, shape.k)) return as_sums<Acc>(multiply<int32_t>(shape, a, columns));
    return as_sums<Acc>(multiply<int64_t>(shape, a, columns));
}
template std::vector<int32_t> integer_matmul(const ProductShape&, const Factors&, const Factors&, bool);
template std::vector<int64_t> integer_matmul(const ProductShape&, const Factors&, const Factors&, bool);

}  // namespace quern
