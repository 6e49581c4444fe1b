#include "libcore/ops/shared/shared.h"

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

DType dtype_attr(const NodeView& node, std::string_view name, DType fallback) {
    const int64_t code = node.integer(name);
    if (code == 0) return fallback;
    const auto dtype = code > 0 && code < 1000 ? dtype_of_onnx(static_cast<int>(code)) : std::nullopt;
    if (!dtype) throw bad_input("attribute \"{}\" is {}, which is not an element type", name, code);
    return *dtype;
}

DType need_type(DType dtype, DTypes allowed, std::string_view what) {
    if (!allowed.has(dtype)) throw bad_input("{} is {}, which this operator does not take", what, name_of(dtype));
    return dtype;
}

Cost cost_elementwise(const CostCtx& ctx) {
    Cost cost = cost_movement(ctx);
    for (const Dims& dims : ctx.out.first(std::min<size_t>(1, ctx.out.size()))) cost.macs = static_cast<double>(count_of(dims));
    return cost;
}

Cost cost_movement(const CostCtx& ctx) {
    Cost cost;
    for (const Dims& dims : ctx.in) cost.bytes += 4.0 * static_cast<double>(count_of(dims));
    for (const Dims& dims : ctx.out) cost.bytes += 4.0 * static_cast<double>(count_of(dims));
    return cost;
}

Cost cost_reading(const CostCtx& ctx) {
    Cost cost = cost_movement(ctx);
    if (!ctx.in.empty()) cost.macs = static_cast<double>(count_of(ctx.in[0]));
    return cost;
}

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
