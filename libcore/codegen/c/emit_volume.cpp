// Convolutions and pools over three spatial dims.
#include "libcore/codegen/c/product.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern::cgen {
namespace {

constexpr size_t dims_of_volume = 3;

struct Convolution {
    bool transposed;
    Product product;
    std::string shape;
};

Convolution convolution(Emit& e) {
    const bool transposed = e.node.is(ops::ConvTranspose), last = channels_last(e.view);
    const Spatial x(e.in_dims(0), last, dims_of_volume), y(e.out_dims(), last, dims_of_volume), w(e.in_dims(1), last, dims_of_volume);
    const Window window = window_over(e.view, x, w.space(), transposed ? &y : nullptr);
    const int64_t groups = e.view.integer("group"), taps = e.in_count(1) / std::max<int64_t>(e.in_dims(1)[0], 1);
    volume_t sizes = volume_sizes(x, y, window, groups);
    set_filter(sizes, w, transposed);
    return {transposed,
            {2, static_cast<size_t>(y.channels), transposed ? e.in_count(1) : taps},
            e.source.parameters("volume_t", sizes, e.label("volume"))};
}

void call(Emit& e, const Convolution& c, Finish finish, const std::string& x, std::string_view x_type, const std::string& w,
          std::string_view w_type, const std::string& y) {
    Words words{{"SOURCE", c.transposed ? "conv_transpose_source" : "conv_source"},
                {"FILTER_AT", c.transposed ? "g * s->in_channels * s->w_c + m * s->w_m" : "channel * s->w_m"},
                {"START", finish.start.empty() ? "0" : finish.start}};
    e.source.kernel(words[0].second);
    if (!finish.start.empty()) finish.expression = "sum";  // which began with the bias
    if (c.transposed) finish.variant = "transposed" + (finish.variant.empty() ? "" : "_" + finish.variant);
    call_product(e, "conv_volume", finish, x, x_type, w, w_type, y, c.shape, words);
}

}  // namespace

bool has_volume(Emit& e) { return e.in_dims(0).size() == 2 + dims_of_volume; }

void emit_volume_conv(Emit& e, Kind kind) {
    const Convolution c = convolution(e);
    if (kind == Kind::real) {
        if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
        const std::string x = e.real_in(0), w = e.real_in(1);
        return call(e, c, real_finish(real_bias(e, 2, c.product.channels)), x, "float", w, "float", e.real_out());
    }
    if (!e.in_encoding(0)) throw unsupported("real activations and codes as weights, over three spatial dims");
    const Weights w = weight_codes(e, 1);
    const bool dynamic = kind == Kind::codes && has_dynamic_operand(e);
    const Finish finish = kind == Kind::profile
                              ? tflite_finish(e, c.product, w.zero, tflite_scaling(e.node.op->name, *e.in_encoding(0), *e.in_encoding(1)))
                          : dynamic ? dynamic_finish(e, c.product, w.zero)
                                    : onnx_finish(e, c.product, w.zero);
    call(e, c, finish, e.in(0), e.in_type(0), w.at, w.type,
         kind == Kind::profile || (!dynamic && e.out_encoding()) ? e.out() : e.real_out());
}

void emit_volume_pool(Emit& e) {
    if (e.wants(1)) throw unsupported("the places of the maxima");
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const bool last = channels_last(e.view);
    const Spatial x(e.in_dims(0), last, dims_of_volume), y(e.out_dims(), last, dims_of_volume);
    const volume_t sizes = volume_sizes(x, y, window_over(e.view, x, e.view.integers("kernel_shape")));
    const std::string shape = e.source.parameters("volume_t", sizes, e.label("volume"));
    const std::string from = e.real_in(0);
    if (e.node.is(ops::MaxPool)) return e.call(e.source.kernel("max_pool_volume"), {from, e.real_out(), shape});
    e.call(e.source.kernel("average_pool_volume"), {from, e.real_out(), shape, e.view.integer("count_include_pad") != 0 ? "1" : "0"});
}

}  // namespace quern::cgen
