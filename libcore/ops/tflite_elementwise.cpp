// The tflite profile: sums, products and rescaling of codes in fixed point, pools, softmax, and tables of 8-bit functions.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/ops/fixed_point.h"
#include "libcore/ops/profile.h"
#include "libcore/ops/shared.h"
#include "libcore/ops/spatial.h"
#include "libcore/ops/window.h"

namespace quern {
namespace {

using Codes = std::vector<int64_t>;

struct Grid {
    float scale;
    int64_t zero, least, greatest;
    DType storage;

    explicit Grid(const Encoding& e)
        : scale(to_floats(e.scale)[0]),
          zero(e.zero.defined() ? to_ints(e.zero)[0] : 0),
          least(e.qmin),
          greatest(e.qmax),
          storage(e.storage) {}
    int64_t clipped(int64_t code) const { return std::clamp(code, least, greatest); }
};

int32_t narrow(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x))); }

void give(EvalCtx& ctx, const Grid& grid, const Dims& dims, const Codes& codes) { ctx.give(0, from_ints(grid.storage, dims, codes)); }

// One code of each operand, less its zero point, to one of the result.
template <class Fn>
void broadcast_codes(EvalCtx& ctx, const Fn& fn) {
    const Grid a(*ctx.in_encoding(0)), b(*ctx.in_encoding(1)), y(*ctx.out_encoding(0));
    const Tensor &left = ctx.need(0), &right = ctx.need(1);
    const Dims dims = broadcast(left.dims, right.dims);
    const Codes x = to_ints(left), z = to_ints(right);
    const BroadcastIndex x_at(left.dims, dims), z_at(right.dims, dims);
    Codes codes(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = y.clipped(fn(narrow(x[x_at(i)] - a.zero), narrow(z[z_at(i)] - b.zero)) + y.zero);
    give(ctx, y, dims, codes);
}

// Both operands are brought to twice the greater scale with 20 more bits (15 for 16-bit codes), summed, and brought to the result's.
template <int sign>
void eval_sum(EvalCtx& ctx) {
    const float a = to_floats(ctx.in_encoding(0)->scale)[0], b = to_floats(ctx.in_encoding(1)->scale)[0],
                y = to_floats(ctx.out_encoding(0)->scale)[0];
    const int bits = bits_of(ctx.out_encoding(0)->storage) > 8 ? 15 : 20;
    const double common = static_cast<double>(2 * std::max(a, b));
    const FixedFactor left = FixedFactor::of(static_cast<double>(a) / common), right = FixedFactor::of(static_cast<double>(b) / common),
                      out = FixedFactor::of(common / static_cast<double>(static_cast<float>(1 << bits) * y));
    broadcast_codes(ctx, [&](int32_t x, int32_t z) {
        const int32_t p = left.times(narrow(int64_t{x} << bits)), q = right.times(narrow(int64_t{z} << bits));
        return int64_t{out.times(narrow(int64_t{p} + sign * int64_t{q}))};
    });
}

void eval_mul(EvalCtx& ctx) {
    const float a = to_floats(ctx.in_encoding(0)->scale)[0], b = to_floats(ctx.in_encoding(1)->scale)[0],
                y = to_floats(ctx.out_encoding(0)->scale)[0];
    const FixedFactor factor = FixedFactor::of(static_cast<double>(a * b / y));
    broadcast_codes(ctx, [&](int32_t x, int32_t z) { return int64_t{factor.times(narrow(int64_t{x} * z))}; });
}

template <class Fn>
void each_code(EvalCtx& ctx, const Fn& fn) {
    const Grid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    Codes codes = to_ints(ctx.need(0));
    for (int64_t& code : codes) code = y.clipped(fn(narrow(code - x.zero)) + y.zero);
    give(ctx, y, ctx.need(0).dims, codes);
}

void eval_leaky_relu(EvalCtx& ctx) {
    const float x = to_floats(ctx.in_encoding(0)->scale)[0], y = to_floats(ctx.out_encoding(0)->scale)[0], alpha = ctx.real("alpha");
    const FixedFactor above = FixedFactor::of(static_cast<double>(x / y)), below = FixedFactor::of(static_cast<double>(x * alpha / y));
    each_code(ctx, [&](int32_t code) { return int64_t{(code >= 0 ? above : below).times(code)}; });
}

// Codes to codes by one factor; real numbers to codes rounded with ties away from zero.
void eval_recode(EvalCtx& ctx) {
    const Grid y(*ctx.out_encoding(0));
    if (const Encoding* from = ctx.in_encoding(0)) {
        const FixedFactor factor = FixedFactor::of(static_cast<double>(to_floats(from->scale)[0]) / static_cast<double>(y.scale));
        return each_code(ctx, [&](int32_t code) { return int64_t{factor.times(code)}; });
    }
    Codes codes;
    for (const float item : to_floats(ctx.need(0))) {
        const float steps = std::round(item / y.scale);
        const float limit = 2147483520.0f;
        codes.push_back(y.clipped((steps == steps ? static_cast<int64_t>(std::clamp(steps, -limit, limit)) : 0) + y.zero));
    }
    give(ctx, y, ctx.need(0).dims, codes);
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float tanh_of(float x) { return std::tanh(x); }

// A table over the codes, filled in float32; the result's scale is inverted first.
template <float (*fn)(float)>
void eval_table(EvalCtx& ctx) {
    const Grid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    const float inverse = 1 / y.scale;
    std::array<int64_t, 256> table{};
    const auto [least, greatest] = int_range(x.storage);
    for (int64_t code = least; code <= greatest; ++code) {
        const float rounded = std::round(fn(x.scale * static_cast<float>(code - x.zero)) * inverse);
        table[static_cast<size_t>(code - least)] = y.clipped(static_cast<int64_t>(rounded + static_cast<float>(y.zero)));
    }
    Codes codes = to_ints(ctx.need(0));
    for (int64_t& code : codes) code = table[static_cast<size_t>(code - least)];
    give(ctx, y, ctx.need(0).dims, codes);
}

// The mean of a window's codes, ties away from zero; what lies outside does not count.
void eval_average_pool(EvalCtx& ctx) {
    const Grid y(*ctx.out_encoding(0));
    const bool last = channels_last(ctx);
    const Dims in = spatial_dims(ctx.need(0), last);
    const Shape shape = Shape::of(in);
    const Dims kernel = ctx.integers("kernel_shape");
    const Window window = window_of(ctx, std::span(shape.dims).subspan(2), kernel);
    Dims out = in;
    for (size_t i = 0; i < 2; ++i) out[i + 2] = window_count(window, i, shape.dims[i + 2]).value;
    const Dims stored = last ? to_channels_last(out) : out;
    const Codes x = to_ints(ctx.need(0));
    Codes codes(static_cast<size_t>(count_of(out)));
    const auto place = [last](const Dims& d, int64_t n, int64_t c, int64_t h, int64_t w) {
        return static_cast<size_t>(last ? ((n * d[2] + h) * d[3] + w) * d[1] + c : ((n * d[1] + c) * d[2] + h) * d[3] + w);
    };
    for (int64_t n = 0; n < out[0]; ++n)
        for (int64_t c = 0; c < out[1]; ++c)
            for (int64_t h = 0; h < out[2]; ++h)
                for (int64_t w = 0; w < out[3]; ++w) {
                    const int64_t top = h * window.stride[0] - window.before[0], left = w * window.stride[1] - window.before[1];
                    int64_t sum = 0, count = 0;
                    for (int64_t i = std::max<int64_t>(top, 0); i < std::min(top + kernel[0], in[2]); ++i)
                        for (int64_t j = std::max<int64_t>(left, 0); j < std::min(left + kernel[1], in[3]); ++j, ++count)
                            sum += x[place(in, n, c, i, j)];
                    if (count > 0) sum = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
                    codes[place(out, n, c, h, w)] = y.clipped(sum);
                }
    give(ctx, y, stored, codes);
}

// Over the last dimension, exponentials and their sum in fixed point; results in steps of 1/256 from the least code on.
void eval_softmax(EvalCtx& ctx) {
    constexpr int integer_bits = 5, sum_bits = 12;
    const Grid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    const FixedFactor factor =
        FixedFactor::of(std::min(static_cast<double>(x.scale) * (1 << (31 - integer_bits)), static_cast<double>((int64_t{1} << 31) - 1)));
    const auto reach = static_cast<int64_t>(std::floor(((1 << integer_bits) - 1) * static_cast<double>(int64_t{1} << (31 - integer_bits)) /
                                                       static_cast<double>(int64_t{1} << factor.shift)));
    const Codes in = to_ints(ctx.need(0));
    const auto depth = static_cast<size_t>(ctx.need(0).dims.back());
    const auto [least, greatest] = int_range(y.storage);
    Codes codes(in.size());
    const auto exponential = [&](int64_t difference) {
        return exp_of_negative(doubling_high_product(narrow(difference * (int64_t{1} << factor.shift)), factor.factor));
    };
    for (size_t row = 0; depth > 0 && row < in.size(); row += depth) {
        const int64_t top =
            *std::max_element(in.begin() + static_cast<std::ptrdiff_t>(row), in.begin() + static_cast<std::ptrdiff_t>(row + depth));
        int32_t sum = 0;
        for (size_t i = row; i < row + depth; ++i)
            if (in[i] - top >= -reach) sum = narrow(int64_t{sum} + rounded_shift(exponential(in[i] - top), sum_bits));
        const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
        const int32_t reciprocal =
            reciprocal_of_one_plus(narrow(static_cast<int64_t>(static_cast<uint32_t>(sum) << headroom) - (int64_t{1} << 31)));
        const int exponent = sum_bits - headroom + 31 - 8;
        for (size_t i = row; i < row + depth; ++i) {
            codes[i] = least;
            if (in[i] - top >= -reach)
                codes[i] = std::clamp(rounded_shift(doubling_high_product(reciprocal, exponential(in[i] - top)), exponent) + least, least,
                                      greatest);
        }
    }
    give(ctx, y, ctx.need(0).dims, codes);
}

// ---- what is taken -----------------------------------------------------------------------------------------------------

const std::optional<Encoding>& encoding(const Graph& graph, const Node& node, size_t i) { return graph.value(node.in[i]).enc; }

bool is_power_of_two(const Encoding& e) {
    int exponent = 0;
    return std::frexp(to_floats(e.scale)[0], &exponent) == 0.5f;
}

bool takes_two(const Graph& graph, const Node& node, const Encoding& out) {
    return node.in.size() == 2 && integer_grid(out) && integer_grid(encoding(graph, node, 0)) && integer_grid(encoding(graph, node, 1)) &&
           bits_of(out.storage) <= 16 && encoding(graph, node, 0)->storage == out.storage &&
           encoding(graph, node, 1)->storage == out.storage;
}

// 16-bit codes whose scales are all powers of two may be meant for an older arithmetic.
bool takes_sum(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_two(graph, node, out) && !(bits_of(out.storage) > 8 && is_power_of_two(out) &&
                                            is_power_of_two(*encoding(graph, node, 0)) && is_power_of_two(*encoding(graph, node, 1)));
}

bool takes_one(const Graph& graph, const Node& node, const Encoding& out) {
    return integer_grid(out) && bits_of(out.storage) <= 16 && integer_grid(encoding(graph, node, 0)) &&
           encoding(graph, node, 0)->storage == out.storage;
}

bool takes_leaky_relu(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && NodeView(node).real("alpha") >= 0;
}

bool takes_recode(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& x = encoding(graph, node, 0);
    return integer_grid(out) && bits_of(out.storage) <= 16 && (!x || (integer_grid(x) && bits_of(x->storage) <= 32));
}

bool takes_table(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && bits_of(out.storage) == 8;
}

bool takes_pool(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    const Shape& shape = graph.value(node.in[0]).type.shape;
    return takes_one(graph, node, out) && shape.ranked && shape.rank() == 4 && view.integer("count_include_pad") == 0 &&
           view.integer("ceil_mode") == 0 && !view.has("dilations") && to_floats(encoding(graph, node, 0)->scale) == to_floats(out.scale);
}

bool takes_softmax(const Graph& graph, const Node& node, const Encoding& out) {
    const Shape& shape = graph.value(node.in[0]).type.shape;
    const int64_t axis = NodeView(node).integer("axis");
    const bool fixed = bits_of(out.storage) == 8 && to_floats(out.scale)[0] == 1.0f / 256 &&
                       (out.zero.defined() ? to_ints(out.zero)[0] : 0) == int_range(out.storage).min;
    return takes_one(graph, node, out) && fixed && shape.ranked && shape.rank() > 0 &&
           (axis == -1 || axis == static_cast<int64_t>(shape.rank()) - 1) &&
           static_cast<double>(to_floats(encoding(graph, node, 0)->scale)[0]) * (1 << 26) > 1;
}

constexpr std::array rows{
    ProfileRow{"Add", "", takes_sum, eval_sum<1>, true},      ProfileRow{"Sub", "", takes_sum, eval_sum<-1>, true},
    ProfileRow{"Mul", "", takes_two, eval_mul, true},         ProfileRow{"LeakyRelu", "", takes_leaky_relu, eval_leaky_relu},
    ProfileRow{"Recode", "quern", takes_recode, eval_recode}, ProfileRow{"Sigmoid", "", takes_table, eval_table<sigmoid>},
    ProfileRow{"Tanh", "", takes_table, eval_table<tanh_of>}, ProfileRow{"AveragePool", "", takes_pool, eval_average_pool, true},
    ProfileRow{"Softmax", "", takes_softmax, eval_softmax},
};

}  // namespace

std::span<const ProfileRow> tflite_elementwise_rows() { return rows; }

}  // namespace quern
