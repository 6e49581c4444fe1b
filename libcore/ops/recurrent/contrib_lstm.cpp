// com.microsoft.DynamicQuantizeLSTM: the weights of an LSTM are codes, and both products are sums of codes. The input is quantized as one
// tensor, the state of a step as one tensor over the batch, each as DynamicQuantizeLinear does; everything else is float32.
#include <algorithm>
#include <array>

#include "libcore/graph/quantize.h"
#include "libcore/ops/microsoft/quantized.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

enum Input : size_t { x_at, w_at, r_at, bias_at, lengths_at, h_at, c_at, peephole_at, w_scale_at, w_zero_at, r_scale_at, r_zero_at };

struct Sizes {
    int64_t steps, batch, input, hidden, directions;
    int64_t gates() const { return 4 * hidden; }
};

void check_dims(EvalCtx& ctx, size_t i, const Dims& want) {
    if (ctx.in(i) && ctx.in(i)->dims != want) throw bad_input("input {} is {}, need {}", i, to_string(ctx.in(i)->dims), to_string(want));
}

Sizes sizes_of(EvalCtx& ctx) {
    const Tensor &x = ctx.need(x_at), &r = ctx.need(r_at);
    if (x.dims.size() != 3 || r.dims.size() != 3)
        throw bad_input("inputs 0 and 2 are {} and {}, need rank 3", to_string(x.dims), to_string(r.dims));
    const Sizes s{x.dims[0], x.dims[1], x.dims[2], r.dims[1], direction_count(ctx)};
    if (ctx.has("hidden_size") && ctx.integer("hidden_size") != s.hidden)
        throw bad_input("hidden_size is {}, need the {} of input 2", ctx.integer("hidden_size"), s.hidden);
    check_dims(ctx, w_at, {s.directions, s.input, s.gates()});
    check_dims(ctx, r_at, {s.directions, s.hidden, s.gates()});
    check_dims(ctx, bias_at, {s.directions, 2 * s.gates()});
    check_dims(ctx, lengths_at, {s.batch});
    for (const size_t i : {h_at, c_at}) check_dims(ctx, i, {s.directions, s.batch, s.hidden});
    check_dims(ctx, peephole_at, {s.directions, 3 * s.hidden});
    if (const Tensor* lengths = ctx.in(lengths_at))
        for (const int64_t length : to_ints(*lengths))
            if (length != s.steps)
                throw unsupported("a sequence of length {} among {} steps, whose state has no range of its own", length, s.steps);
    return s;
}

// The weights of one direction: codes minus their zero points, and the scale of each gate row.
class CodeProduct {
   public:
    CodeProduct(EvalCtx& ctx, size_t codes_at, size_t scale_at, size_t zero_at, int64_t direction, const Sizes& s) {
        const Tensor& codes = ctx.need(codes_at);
        if (codes.dtype != DType::i8 && codes.dtype != DType::u8)
            throw bad_input("input {} is {}, need int8 or uint8", codes_at, name_of(codes.dtype));
        if (ctx.need(zero_at).dtype != codes.dtype)
            throw bad_input("input {} is {}, need {}", zero_at, name_of(ctx.need(zero_at).dtype), name_of(codes.dtype));
        depth_ = codes.dims[1];
        const uint64_t size = static_cast<uint64_t>(count_of(Dims{depth_, s.gates()}));
        const Tensor own{codes.dtype, {depth_, s.gates()}, codes.data.slice(static_cast<uint64_t>(direction) * size, size)};
        scale_ = part_of(to_floats(ctx.need(scale_at)), scale_at, direction, s);
        items_ = Factors(own, part_of(to_ints(ctx.need(zero_at)), zero_at, direction, s), 1).swapped(1, depth_, s.gates());
    }

    // sums [rows, gates] += x [rows, depth] * weights
    void add(std::span<const float> x, int64_t rows, std::span<float> sums) const {
        const Tensor real = Tensor::make<float>({rows, depth_}, x);
        const Encoding e = dynamic_encoding(real, make_encoding(DType::u8, {}, {}));
        const auto columns = static_cast<int64_t>(scale_.size());
        const auto acc = integer_matmul(product_shape(Dims{rows, depth_}, Dims{depth_, columns}),
                                        Factors(quantize(real, e), to_ints(e.zero)), items_, true);
        const float x_scale = to_floats(e.scale)[0];
        for (size_t i = 0; i < acc.size(); ++i) sums[i] += static_cast<float>(acc[i]) * (x_scale * scale_[i % scale_.size()]);
    }

   private:
    // One number a direction, or one a gate row of it; spread over the rows.
    template <class T>
    static std::vector<T> part_of(const std::vector<T>& all, size_t at, int64_t direction, const Sizes& s) {
        const auto rows = static_cast<size_t>(s.gates()), d = static_cast<size_t>(direction), count = static_cast<size_t>(s.directions);
        if (all.size() == count) return std::vector<T>(rows, all[d]);
        if (all.size() != count * rows) throw bad_input("input {} has {} numbers, need {} or {}", at, all.size(), count, count * rows);
        return {all.begin() + static_cast<ptrdiff_t>(d * rows), all.begin() + static_cast<ptrdiff_t>((d + 1) * rows)};
    }

    int64_t depth_ = 0;
    Factors items_{std::vector<int32_t>()};  // [gates, depth]
    std::vector<float> scale_;
};

// The numbers of an optional input, zeros if it is absent.
std::vector<float> floats_or_zeros(EvalCtx& ctx, size_t i, int64_t count) {
    return ctx.in(i) ? to_floats(*ctx.in(i)) : std::vector<float>(static_cast<size_t>(count), 0.0f);
}

// Both biases of each gate row of a direction.
std::vector<float> bias_of(EvalCtx& ctx, int64_t direction, const Sizes& s) {
    const auto all = floats_or_zeros(ctx, bias_at, 2 * s.directions * s.gates());
    const auto rows = static_cast<size_t>(s.gates()), first = static_cast<size_t>(direction) * 2 * rows;
    std::vector<float> out(rows);
    for (size_t i = 0; i < rows; ++i) out[i] = all[first + i] + all[first + rows + i];
    return out;
}

}  // namespace

void infer_dynamic_lstm(InferCtx& ctx) {
    const Shape &x = ctx.shape(x_at), &r = ctx.shape(r_at);
    if ((x.ranked && x.rank() != 3) || (r.ranked && r.rank() != 3))
        throw bad_input("inputs 0 and 2 are {} and {}, need rank 3", to_string(x), to_string(r));
    if (ctx.has("hidden_size") && r.ranked && r.dims[1].known() && r.dims[1].value != ctx.integer("hidden_size"))
        throw bad_input("hidden_size is {}, need the {} of input 2", ctx.integer("hidden_size"), r.dims[1].value);
    const Dim steps = x.ranked ? x.dims[0] : Dim::unknown(), batch = x.ranked ? x.dims[1] : Dim::unknown(),
              hidden = r.ranked ? r.dims[1] : Dim::unknown(), directions = Dim::of(direction_count(ctx));
    ctx.set(0, Type::tensor(DType::f32, Shape::of_dims({steps, directions, batch, hidden})));
    for (const size_t i : {1, 2}) ctx.set(i, Type::tensor(DType::f32, Shape::of_dims({directions, batch, hidden})));
}

void eval_dynamic_lstm(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 3> defaults{"Sigmoid", "Tanh", "Tanh"};
    const Sizes s = sizes_of(ctx);
    const auto acts = gate_activations(ctx, defaults, s.directions);
    const auto x = to_floats(ctx.need(x_at)), peephole = floats_or_zeros(ctx, peephole_at, 3 * s.directions * s.hidden);
    const int64_t state = s.batch * s.hidden;
    auto h = floats_or_zeros(ctx, h_at, s.directions * state), c = floats_or_zeros(ctx, c_at, s.directions * state);
    std::vector<float> y(static_cast<size_t>(s.steps * s.directions * state));
    for (int64_t d = 0; d < s.directions; ++d) {
        const CodeProduct w(ctx, w_at, w_scale_at, w_zero_at, d, s), r(ctx, r_at, r_scale_at, r_zero_at, d, s);
        const auto bias = bias_of(ctx, d, s);
        const LstmCell<float> cell{s.hidden, peephole.data() + d * 3 * s.hidden, acts.data() + d * 3, clip_of<float>(ctx),
                                   {0},      ctx.integer("input_forget") != 0};
        const int64_t rows = s.batch * s.gates();
        std::vector<float> gates(static_cast<size_t>(s.steps * rows), 0.0f);
        w.add(x, s.steps * s.batch, gates);
        const std::span<float> own_h = std::span(h).subspan(static_cast<size_t>(d * state), static_cast<size_t>(state));
        const bool backwards = d == 1 || ctx.text("direction") == "reverse";
        for (int64_t step = 0; step < s.steps; ++step) {
            const int64_t t = backwards ? s.steps - 1 - step : step;
            const std::span<float> sums = std::span(gates).subspan(static_cast<size_t>(t * rows), static_cast<size_t>(rows));
            r.add(own_h, s.batch, sums);
            for (size_t i = 0; i < sums.size(); ++i) sums[i] += bias[i % bias.size()];
            for (int64_t b = 0; b < s.batch; ++b)
                cell(sums.data() + b * s.gates(), own_h.data() + b * s.hidden, c.data() + d * state + b * s.hidden);
            std::copy(own_h.begin(), own_h.end(), y.begin() + (t * s.directions + d) * state);
        }
    }
    ctx.give(0, Tensor::make<float>({s.steps, s.directions, s.batch, s.hidden}, y));
    ctx.give(1, Tensor::make<float>({s.directions, s.batch, s.hidden}, h));
    ctx.give(2, Tensor::make<float>({s.directions, s.batch, s.hidden}, c));
}

}  // namespace quern
