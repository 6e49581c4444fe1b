// QLinearAveragePool and QLinearGlobalAveragePool.

#include "libcore/graph/quantize.h"
#include "libcore/ops/microsoft/quantized.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

void need_bytes(const Tensor& x) {
    if (x.dtype != DType::i8 && x.dtype != DType::u8) throw bad_input("input 0 is {}, need int8 or uint8", name_of(x.dtype));
    if (x.dims.size() < 3) throw bad_input("input 0 is {}, need rank 3 or more", to_string(x.dims));
}

// Where channels and space are: channels first, or last with `channels_last`.
struct ImageView {
    size_t channel_axis, first_space;
    ImageView(const NodeView& view, size_t rank)
        : channel_axis(view.integer("channels_last") ? rank - 1 : 1), first_space(view.integer("channels_last") ? 1 : 2) {}
};

struct PoolWindow {
    Window window;
    bool ceil, include_pad;
};

PoolWindow pool_of(const NodeView& view, std::span<const Dim> spatial) {
    const Dims kernel = view.integers("kernel_shape");
    if (kernel.size() != spatial.size()) throw bad_input("kernel_shape has {} numbers, need {}", kernel.size(), spatial.size());
    return {window_of(view, spatial, kernel), view.integer("ceil_mode") != 0, view.integer("count_include_pad") != 0};
}

}  // namespace

void infer_qlinear_average_pool(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (!out.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    if (out.rank() < 3) throw bad_input("input 0 is {}, need rank 3 or more", to_string(out));
    const ImageView image(ctx, out.rank());
    const std::vector<Dim> spatial(out.dims.begin() + static_cast<int64_t>(image.first_space),
                                   out.dims.begin() + static_cast<int64_t>(image.first_space + out.rank() - 2));
    const PoolWindow pool = pool_of(ctx, spatial);
    for (size_t i = 0; i < spatial.size(); ++i) out.dims[image.first_space + i] = window_count(pool.window, i, spatial[i], pool.ceil);
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_qlinear_average_pool(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    need_bytes(x);
    const QuantParams px = quant_params(ctx, 1, 2), py = quant_params(ctx, 3, 4);
    const ImageView image(ctx, x.dims.size());
    const size_t space = x.dims.size() - 2;
    const Dims lengths(x.dims.begin() + static_cast<int64_t>(image.first_space),
                       x.dims.begin() + static_cast<int64_t>(image.first_space + space));
    const Shape shape = Shape::of(lengths);
    const PoolWindow pool = pool_of(ctx, shape.dims);
    Dims dims = x.dims, counts;
    for (size_t i = 0; i < space; ++i)
        counts.push_back(dims[image.first_space + i] = window_count(pool.window, i, shape.dims[i], pool.ceil).value);
    const auto in_strides = strides_of(x.dims), out_strides = strides_of(dims), tap_strides = strides_of(pool.window.kernel);
    const int64_t taps = count_of(pool.window.kernel);
    const Numbers<int64_t> in(x);
    NumbersOut<int64_t> out(ctx, 0, x.dtype, dims);
    const IntRange range = int_range(x.dtype);
    for (size_t i = 0; i < out.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        const int64_t base = at / out_strides[0] * in_strides[0] +
                             at / out_strides[image.channel_axis] % dims[image.channel_axis] * in_strides[image.channel_axis];
        float sum = 0;
        int64_t count = 0;
        for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t where = base;
            bool inside = true, padded = true;
            for (size_t d = 0; d < space; ++d) {
                const size_t axis = image.first_space + d;
                const int64_t pixel = at / out_strides[axis] % dims[axis] * pool.window.stride[d] +
                                      tap / tap_strides[d] % pool.window.kernel[d] - pool.window.before[d];
                inside &= pixel >= 0 && pixel < lengths[d];
                padded &= pixel < lengths[d] + pool.window.after[d];
                where += pixel * in_strides[axis];
            }
            count += inside || (pool.include_pad && padded);
            if (inside) sum += px.scale[0] * static_cast<float>(in[static_cast<size_t>(where)] - px.zero[0]);
        }
        const float mean = count ? sum / static_cast<float>(count) : 0.0f;
        out[i] = quantize_one(mean, py.scale[0], py.zero[0], range.min, range.max);
    }
}

void infer_qlinear_global_average_pool(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (out.ranked) {
        if (out.rank() < 3) throw bad_input("input 0 is {}, need rank 3 or more", to_string(out));
        const ImageView image(ctx, out.rank());
        for (size_t i = 0; i + 2 < out.rank(); ++i) out.dims[image.first_space + i] = Dim::of(1);
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_qlinear_global_average_pool(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    need_bytes(x);
    const QuantParams px = quant_params(ctx, 1, 2), py = quant_params(ctx, 3, 4);
    const ImageView image(ctx, x.dims.size());
    Dims dims = x.dims;
    int64_t pixels = 1;
    for (size_t i = 0; i + 2 < x.dims.size(); ++i) {
        pixels *= x.dims[image.first_space + i];
        dims[image.first_space + i] = 1;
    }
    if (pixels == 0) throw bad_input("input 0 is {}, which has no pixels", to_string(x.dims));
    const bool last = image.channel_axis != 1;
    const auto channels = static_cast<size_t>(x.dims[image.channel_axis]), count = static_cast<size_t>(pixels);
    const Numbers<int64_t> in(x);
    NumbersOut<int64_t> out(ctx, 0, x.dtype, dims);
    const float multiplier = px.scale[0] / (py.scale[0] * static_cast<float>(pixels));
    for (size_t i = 0; i < out.size(); ++i) {
        const size_t first = last ? i / channels * channels * count + i % channels : i * count;
        int64_t sum = 0;
        for (size_t p = 0; p < count; ++p) sum += in[first + p * (last ? channels : 1)] - px.zero[0];
        if (sum != static_cast<int32_t>(sum)) throw bad_input("the sum of {} codes does not fit int32", pixels);
        out[i] = requantize(static_cast<int32_t>(sum), multiplier, py.zero[0], int_range(x.dtype));
    }
}

}  // namespace quern
