// Matrix products and lookups.

#include "formats/tflite/lower/lower.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

Attrs fully_connected_options(Lowering& at, bool keeps_dims) {
    Attrs options{{"weights_format", std::string("DEFAULT")}, {"keep_num_dims", int64_t{keeps_dims}}};
    if (at.rounds_asymmetrically()) options[asymmetric_key] = int64_t{1};
    return options;
}

// alpha * A * B + beta * C with A of rank 2.
void gemm(Lowering& at) {
    const NodeView& view = at.view();
    if (view.real("alpha") != 1 || (at.has(2) && view.real("beta") != 1)) throw unsupported("factors other than 1");
    const bool across = view.integer("transB") != 0;
    if (at.rank(1) != 2) throw unsupported("operand 1 has rank {}", at.rank(1));
    const int64_t units = at.dim(1, across ? 0 : 1);
    if (!at.constant(1) && !across) throw unsupported("operand 1 is not constant");
    // Of two computed matrices of int16 codes only the product of batches has a kernel.
    if (across && !at.constant(1) && !at.has(2) && view.integer("transA") == 0 && at.on_codes() && at.in_encoding(0)->storage == DType::i16)
        return at.result(Code::BATCH_MATMUL, {at.in(0), at.in(1)}, {{"adj_x", int64_t{0}}, {"adj_y", int64_t{1}}});
    int64_t data = at.in(0);
    if (view.integer("transA") != 0) data = at.transposed("rows", data, {1, 0});
    const int64_t weights = across ? at.weight(1) : at.permuted(1, {1, 0});
    Ints in{data, weights};
    if (at.has(2)) {
        const auto shape = at.type(2).shape.concrete();
        const bool each = shape && count_of(*shape) == units && !shape->empty() && shape->back() == units;
        if (!each) throw unsupported("its summand is not one number a unit");
        in.push_back(shape->size() == 1 ? at.in(2)
                     : at.constant(2)   ? at.permuted(2, {0, 1}, {units})
                                        : at.reshaped("summand", at.in(2), {units}));
    } else {
        in.push_back(-1);  // some readers look for its place
    }
    at.result(Code::FULLY_CONNECTED, in, fully_connected_options(at, at.node().attrs.contains(keeps_dims_key)));
}

// One product of two matrices: onert gives its operator two dims whatever the data have.
void matmul_of_rows(Lowering& at, const Ints& out) {
    const int64_t depth = at.dim(1, 0), units = at.dim(1, 1);
    const int64_t rows = std::ranges::count(out, -1) > 0 ? -1 : count_of(out) / std::max<int64_t>(units, 1);
    const int64_t data = at.reshaped("rows", at.in(0), {rows, depth}), weights = at.permuted(1, {1, 0});
    const int64_t made = at.temp("products", DType::f32, {rows, units}, at.out_encoding());
    at.op(Code::FULLY_CONNECTED, {data, weights, -1}, {made}, at.activated(fully_connected_options(at, false)));
    const int64_t result = at.out();
    at.op(Code::RESHAPE, {made, at.shape_of(result, "shape")}, {result});
}

void matmul(Lowering& at) {
    const size_t a = at.rank(0), b = at.rank(1);
    const bool is_of_rows = a > 2 && at.constant(1) && b == 2 && std::ranges::count(at.out_shape(), -1) < 2;
    if (is_of_rows && at.exporter().format() == "circle") return matmul_of_rows(at, at.out_shape());
    if (at.constant(1) && b == 2 && a >= 2)
        return at.result(Code::FULLY_CONNECTED, {at.in(0), at.permuted(1, {1, 0}), -1}, fully_connected_options(at, a > 2));
    if (a < 2 || b < 2) throw unsupported("operands of rank {} and {}", a, b);
    Attrs options{{"adj_x", int64_t{0}}, {"adj_y", int64_t{0}}};
    if (at.rounds_asymmetrically()) options[asymmetric_key] = int64_t{1};
    at.result(Code::BATCH_MATMUL, at.ins(), std::move(options));
}

// One constant place is cut out, which more devices can do than look it up.
void cut_out(Lowering& at, size_t axis, int64_t place) {
    const size_t rank = at.rank(0);
    Ints begin(rank, 0), end(rank, 0);
    const int64_t bit = int64_t{1} << axis, open = ((int64_t{1} << rank) - 1) & ~bit;
    begin[axis] = place;
    end[axis] = place + 1;
    at.result(Code::STRIDED_SLICE, {at.in(0), at.numbers("begin", begin), at.numbers("end", end), at.numbers("strides", Ints(rank, 1))},
              {{"begin_mask", open}, {"end_mask", open}, {"shrink_axis_mask", bit}});
}

// Rows of symmetric codes, each with a scale of its own, that are read as numbers: the format has a lookup of those.
bool reads_rows(Lowering& at) {
    if (at.exporter().format() != "tflite" || !at.constant(0) || at.on_codes() || !at.type(1).shape.ranked) return false;
    const auto& enc = at.value(0).enc;
    if (!enc || (enc->storage != DType::i8 && enc->storage != DType::i4) || !enc->symmetric() || enc->block > 0) return false;
    const Ints shape = at.out_shape();
    return at.rank(0) >= 2 && at.axis("axis", at.rank(0)) == 0 && (enc->per_tensor() || enc->axis == 0) &&
           std::ranges::count(shape, -1) <= 1;
}

void embedding_lookup(Lowering& at) {
    const int64_t table = at.exporter().tensor(at.scope(), at.id(0)), listed = at.in_as_i32(1);
    if (at.rank(1) == 1) return at.result(Code::EMBEDDING_LOOKUP, {listed, table});
    const Ints shape = at.out_shape();
    Ints rows(shape.begin() + static_cast<ptrdiff_t>(at.rank(1)), shape.end());
    const std::span<const int64_t> places(shape.data(), at.rank(1));
    rows.insert(rows.begin(), std::ranges::count(places, -1) > 0 ? -1 : count_of(places));
    const int64_t list = at.reshaped("places", listed, {rows[0]}), found = at.temp("rows", at.type(0).dtype, rows);
    at.op(Code::EMBEDDING_LOOKUP, {list, table}, {found});
    at.result(Code::RESHAPE, {found, at.numbers("shape", shape)}, {{"new_shape", shape}});
}

void gather(Lowering& at) {
    if (reads_rows(at)) return embedding_lookup(at);
    if (const auto place = at.ints(1); place && place->size() == 1 && at.rank(1) == 0 && (*place)[0] >= 0 && !at.constant(0))
        return cut_out(at, at.axis("axis", at.rank(0)), (*place)[0]);
    const Attrs options{{"axis", static_cast<int64_t>(at.axis("axis", at.rank(0)))}, {"batch_dims", int64_t{0}}};
    const ValueId table = at.id(0), made = at.node().out[0];
    const auto& enc = at.value(0).enc;
    if (at.constant(0) && enc && is_integer(enc->storage) && enc->per_tensor() && at.graph().value(made).enc == enc)  // codes are looked up
        return at.op(Code::GATHER, {at.exporter().tensor(at.scope(), table), at.in(1)}, {at.exporter().tensor(at.scope(), made)}, options);
    at.result(Code::GATHER, {at.weight(0), at.in(1)}, options);
}

void gather_nd(Lowering& at) {
    if (at.view().integer("batch_dims") != 0) throw unsupported("batch dims");
    at.result(Code::GATHER_ND, at.ins());
}

constexpr std::array product_table{
    LowerRow{ops::Gather, gather, 0, true},
    LowerRow{ops::GatherND, gather_nd},
    LowerRow{ops::Gemm, gemm, 1, true, true},
    LowerRow{ops::MatMul, matmul, 1, true, true},
};

}  // namespace

std::span<const LowerRow> lower_product_rows() { return product_table; }

}  // namespace quern::tflite_format
