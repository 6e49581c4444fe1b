#include "libcore/ops/shared.h"

namespace quern {

void infer_same(InferCtx& ctx) { ctx.set(0, ctx.in(0)); }

namespace {
Shape broadcast_inputs(InferCtx& ctx) {
    Shape shape = ctx.shape(0);
    for (size_t i = 1; i < ctx.in_count(); ++i) shape = broadcast(shape, ctx.shape(i));
    return shape;
}
}  // namespace

void infer_broadcast(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), broadcast_inputs(ctx))); }
void infer_compare(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::boolean, broadcast_inputs(ctx))); }

Arithmetic arithmetic_of(DType dtype) {
    if (dtype == DType::f64) return Arithmetic::f64;
    return is_float(dtype) ? Arithmetic::f32 : Arithmetic::i64;
}

BroadcastIndex::BroadcastIndex(std::span<const int64_t> in, std::span<const int64_t> out) {
    identity_ = std::equal(in.begin(), in.end(), out.begin(), out.end());
    size_t out_stride = 1, in_stride = 1;
    for (size_t i = 0; i < out.size(); ++i) {
        const auto length = static_cast<size_t>(out[out.size() - 1 - i]);
        const auto in_length = i < in.size() ? static_cast<size_t>(in[in.size() - 1 - i]) : 1;
        if (in_length != 1) axes_.push_back({out_stride, length, in_stride});
        out_stride *= length;
        in_stride *= in_length;
    }
}

size_t BroadcastIndex::operator()(size_t i) const {
    if (identity_) return i;
    size_t at = 0;
    for (const Axis& axis : axes_) at += i / axis.out_stride % axis.length * axis.in_stride;
    return at;
}

std::vector<int64_t> strides_of(std::span<const int64_t> dims) {
    std::vector<int64_t> strides(dims.size());
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= dims[i];
    }
    return strides;
}

}  // namespace quern
