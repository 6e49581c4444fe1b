// Operators along axes.
#include <numeric>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/lower.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {
namespace {

template <Code code>
void reduce(Lowering& at) {
    const bool noop = at.view().integer("noop_with_empty_axes") != 0;
    Ints axes = at.axes(1, at.rank(0));
    if (at.has(1) && axes.empty() && !noop) axes = at.axes(at.in_count(), at.rank(0));
    at.result(code, {at.in(0), at.numbers("axes", axes)}, {{"keep_dims", at.view().integer("keepdims")}});
}

// sqrt(sum(x * x)) or its square.
template <bool root>
void reduce_squares(Lowering& at) {
    Ints shape;
    for (size_t i = 0; i < at.rank(0); ++i) shape.push_back(at.dim(0, i));
    const int64_t squares = at.temp("squares", at.type(0).dtype, shape);
    at.op(Code::MUL, {at.in(0), at.in(0)}, {squares}, no_activation);
    const Ints in{squares, at.numbers("axes", at.axes(1, at.rank(0)))};
    const Attrs options{{"keep_dims", at.view().integer("keepdims")}};
    if (!root) return at.result(Code::SUM, in, options);
    const int64_t sum = at.temp("sum", at.type(0).dtype, at.out_shape());
    at.op(Code::SUM, in, {sum}, options);
    at.result(Code::SQRT, {sum});
}

// An operator of the last dimension: another one is brought there and back.
void along_last(Lowering& at, Code code, const Attrs& options) {
    const size_t rank = at.rank(0), axis = at.axis("axis", rank);
    if (axis + 1 == rank) return at.result(code, {at.in(0)}, options);
    Ints order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order[rank - 1]);
    const int64_t data = at.transposed("last", at.in(0), order);
    Ints shape = at.out_shape();
    std::swap(shape[axis], shape[rank - 1]);
    const int64_t made = at.temp("along_last", at.type(0).dtype, shape, at.out_encoding());
    at.op(code, {data}, {made}, options);
    at.result(Code::TRANSPOSE, {made, at.numbers("order", order)});
}
void softmax(Lowering& at) { along_last(at, Code::SOFTMAX, {{"beta", 1.0f}}); }
void log_softmax(Lowering& at) { along_last(at, Code::LOG_SOFTMAX, {}); }

template <Code code>
void arg(Lowering& at) {
    if (at.view().integer("select_last_index") != 0) throw unsupported("the last of equal ones");
    const auto axis = static_cast<int64_t>(at.axis("axis", at.rank(0)));
    const Attrs options{{"output_type", std::string("INT64")}};
    const Ints in{at.in(0), at.constant("axis", from_ints(DType::i32, {}, Ints{axis}))};
    if (at.view().integer("keepdims") == 0) return at.result(code, in, options);
    const Ints kept = at.out_shape();
    Ints shape = kept;
    shape.erase(shape.begin() + axis);
    const int64_t flat = at.temp("flat", DType::i64, shape);
    at.op(code, in, {flat}, options);
    at.op(Code::RESHAPE, {flat, at.numbers("shape", needed_shape(kept))}, {at.out()}, {{"new_shape", kept}});
}

void cumsum(Lowering& at) {
    at.result(Code::CUMSUM, {at.in(0), at.in_as_i32(1)},
              {{"exclusive", at.view().integer("exclusive")}, {"reverse", at.view().integer("reverse")}});
}

void top_k(Lowering& at) {
    const auto k = at.ints(1);
    if (!k || k->size() != 1 || at.axis("axis", at.rank(0)) + 1 != at.rank(0) || at.view().integer("largest") == 0)
        throw unsupported("other than the greatest of the last dimension");
    const bool wanted = at.node().out.size() > 1 && at.node().out[1] != ValueId::none;
    const int64_t places = at.temp("places", DType::i32, at.out_shape());
    at.op(Code::TOPK_V2, {at.in(0), at.constant("k", from_ints(DType::i32, {}, *k))}, {at.out(), places});
    if (wanted) at.op(Code::CAST, {places}, {at.out(1)}, {{"in_data_type", std::string("INT32")}, {"out_data_type", std::string("INT64")}});
}

// (x - mean) / sqrt(variance + epsilon) * scale + shift over the last dims; without `centred`, of the mean square.
void normalize(Lowering& at, bool centred) {
    const size_t rank = at.rank(0), first = at.axis("axis", rank);
    Ints axes, whole, one;
    for (size_t i = 0; i < rank; ++i) {
        whole.push_back(at.dim(0, i));
        one.push_back(i < first ? at.dim(0, i) : 1);
        if (i >= first) axes.push_back(static_cast<int64_t>(i));
    }
    const Attrs keep{{"keep_dims", int64_t{1}}};
    const auto step = [&](std::string_view what, Code code, Ints in, const Ints& shape, Attrs options = {}) {
        const int64_t made = at.temp(what, DType::f32, shape);
        at.op(code, std::move(in), {made}, std::move(options));
        return made;
    };
    int64_t x = at.in(0);
    const int64_t along = at.numbers("axes", axes);
    if (centred) x = step("centred", Code::SUB, {x, step("mean", Code::MEAN, {x, along}, one, keep)}, whole, no_activation);
    const int64_t variance = step("variance", Code::MEAN, {step("squares", Code::MUL, {x, x}, whole, no_activation), along}, one, keep);
    const int64_t epsilon = at.constant("epsilon", Tensor::scalar(at.view().real("epsilon")));
    const int64_t inverse = step("inverse", Code::RSQRT, {step("raised", Code::ADD, {variance, epsilon}, one, no_activation)}, one);
    const int64_t normal = step("normal", Code::MUL, {x, inverse}, whole, no_activation);
    if (!at.has(2)) return at.result(Code::MUL, {normal, at.in(1)});
    at.result(Code::ADD, {step("scaled", Code::MUL, {normal, at.in(1)}, whole, no_activation), at.in(2)});
}
void layer_norm(Lowering& at) { normalize(at, true); }
void rms_norm(Lowering& at) {
    if (at.exporter().format() == "circle" && at.axis("axis", at.rank(0)) + 1 == at.rank(0))
        return at.result(Code::RMS_NORM, at.ins(), {{"epsilon", at.view().real("epsilon")}});
    normalize(at, false);
}

constexpr std::array reduce_table{
    LowerRow{ops::ArgMax, arg<Code::ARG_MAX>},
    LowerRow{ops::ArgMin, arg<Code::ARG_MIN>},
    LowerRow{ops::CumSum, cumsum},
    LowerRow{.op = ops::LayerNormalization, .lower = layer_norm, .on_reals = true},
    LowerRow{ops::LogSoftmax, log_softmax},
    LowerRow{.op = ops::RMSNormalization, .lower = rms_norm, .on_reals = true},
    LowerRow{.op = ops::ReduceL2, .lower = reduce_squares<true>, .on_reals = true},
    LowerRow{ops::ReduceMax, reduce<Code::REDUCE_MAX>},
    LowerRow{ops::ReduceMean, reduce<Code::MEAN>},
    LowerRow{ops::ReduceMin, reduce<Code::REDUCE_MIN>},
    LowerRow{ops::ReduceProd, reduce<Code::REDUCE_PROD>},
    LowerRow{ops::ReduceSum, reduce<Code::SUM>},
    LowerRow{.op = ops::ReduceSumSquare, .lower = reduce_squares<false>, .on_reals = true},
    LowerRow{ops::Softmax, softmax},
    LowerRow{ops::TopK, top_k},
};

}  // namespace

std::span<const LowerRow> lower_reduce_rows() { return reduce_table; }

}  // namespace quern::tflite_format
