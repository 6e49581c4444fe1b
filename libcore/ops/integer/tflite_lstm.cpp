// The tflite profile: LSTM with int8 operands and a state of int16 cells whose scale is a power of two. Gates are int16 with 12
// fractional bits, activations have 15.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_number.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/recurrent.h"

namespace quern {
namespace {

using namespace recurrent_operands;
constexpr size_t operands = 7;
constexpr float gate_scale = 1.0f / 4096;

int16_t logistic_of(int16_t x) { return fixed::logistic(fixed::Fixed<int16_t, 3>{x}).raw; }

template <size_t... bits>
int16_t tanh_by_bits(int16_t x, int integer, std::index_sequence<bits...>) {
    int16_t out = 0;
    ((integer == static_cast<int>(bits) ? void(out = fixed::tanh(fixed::Fixed<int16_t, static_cast<int>(bits)>{x}).raw) : void()), ...);
    return out;
}
int16_t tanh_of(int16_t x, int integer) { return tanh_by_bits(x, integer, std::make_index_sequence<7>()); }

// log2 of a scale, which takes_lstm has seen to be a power of two.
int power_of(const Encoding& e) {
    int exponent = 0;
    std::frexp(to_floats(e.scale)[0], &exponent);
    return exponent - 1;
}

// How a row of weights, [4 * hidden, length], adds to a gate: codes less the zero point, a bias, a factor.
struct Part {
    std::vector<int64_t> weights, bias;
    std::vector<FixedFactor> factors;
    size_t length;
    int64_t zero;

    Part(EvalCtx& ctx, size_t at, const Encoding& data, size_t rows)
        : weights(to_ints(ctx.need(at))), bias(rows, 0), length(weights.size() / rows), zero(data.zero_at()) {
        std::vector<float> scales = to_floats(ctx.in_encoding(at)->scale);
        scales.resize(rows, scales[0]);
        const float x = to_floats(data.scale)[0];
        for (const float scale : scales) factors.push_back(FixedFactor::of(static_cast<double>(scale * x / gate_scale)));
    }
    int16_t added(int16_t gate, size_t row, const int64_t* x) const {
        int64_t sum = bias[row];
        for (size_t i = 0; i < length; ++i) sum += weights[row * length + i] * (x[i] - zero);
        return to_16(int64_t{factors[row].times(narrow(sum))} + gate);
    }
};

class IntegerLstm {
   public:
    IntegerLstm(EvalCtx& ctx, size_t hidden)
        : hidden_(hidden),
          input_(ctx, weights_at, *ctx.in_encoding(0), 4 * hidden),
          recurrent_(ctx, recurrence_at, *ctx.in_encoding(hidden_at), 4 * hidden),
          power_(power_of(*ctx.in_encoding(cell_at))) {
        if (ctx.in(bias_at)) {
            const auto codes = to_ints(ctx.need(bias_at));
            if (codes.size() != 8 * hidden) throw bad_input("bias has {} numbers, need {}", codes.size(), 8 * hidden);
            std::copy_n(codes.begin(), 4 * hidden, input_.bias.begin());
            std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>(4 * hidden), 4 * hidden, recurrent_.bias.begin());
        }
        const auto found = ctx.node().internal.find("hidden");
        const Encoding& made = found == ctx.node().internal.end() ? *ctx.in_encoding(hidden_at) : found->second;
        const auto scale = static_cast<float>(0x1p-15 / static_cast<double>(to_floats(made.scale)[0]) * 0x1p-15);
        out_ = FixedFactor::of(static_cast<double>(scale));
        zero_ = made.zero_at();
        if (ctx.has("cell_clip"))
            clip_ = static_cast<int16_t>(std::clamp(ctx.real("cell_clip") / to_floats(ctx.in_encoding(cell_at)->scale)[0], 0.0f, 32767.0f));
    }

    void step(const int64_t* x, int64_t* h, int64_t* c) const {
        std::vector<int16_t> gates(4 * hidden_);
        for (size_t row = 0; row < gates.size(); ++row) gates[row] = recurrent_.added(input_.added(0, row, x), row, h);
        const int16_t *in = gates.data(), *out = in + hidden_, *forget = out + hidden_, *cell = forget + hidden_;
        for (size_t i = 0; i < hidden_; ++i) {
            const int32_t kept = rounded_shift(logistic_of(forget[i]) * static_cast<int32_t>(c[i]), 15);
            const int32_t fresh = rounded_shift(int32_t{logistic_of(in[i])} * tanh_of(cell[i], 3), 30 + power_);
            c[i] = to_16(int64_t{static_cast<int16_t>(kept)} + static_cast<int16_t>(fresh));
            if (clip_ > 0) c[i] = std::clamp<int64_t>(c[i], -clip_, clip_);
            const int32_t product = int32_t{logistic_of(out[i])} * tanh_of(static_cast<int16_t>(c[i]), 15 + power_);
            h[i] = std::clamp<int64_t>(int64_t{out_.times(product)} + zero_, INT8_MIN, INT8_MAX);
        }
    }

   private:
    size_t hidden_;
    Part input_, recurrent_;
    int power_;
    FixedFactor out_;
    int64_t zero_ = 0;
    int16_t clip_ = 0;
};

// Final states leave as real numbers, where somebody wants them.
void give_state(EvalCtx& ctx, size_t out, const std::vector<int64_t>& codes, size_t in) {
    if (!ctx.wants(out)) return;
    const Encoding& encoding = *ctx.in_encoding(in);
    ctx.give(out, dequantize(from_ints(encoding.storage, ctx.need(in).dims, codes), encoding));
}

void eval_lstm_codes(EvalCtx& ctx) {
    const Recurrent shape = recurrent_of(ctx, 4);
    const auto steps = static_cast<size_t>(shape.steps), batch = static_cast<size_t>(shape.batch),
               hidden = static_cast<size_t>(shape.hidden), width = static_cast<size_t>(shape.input);
    const IntegerLstm lstm(ctx, hidden);
    auto h = to_ints(ctx.need(hidden_at)), c = to_ints(ctx.need(cell_at));
    if (h.size() != batch * hidden || c.size() != h.size())
        throw bad_input("states have {} and {} numbers, need {}", h.size(), c.size(), batch * hidden);
    const auto x = to_ints(ctx.need(0));
    std::vector<int64_t> y(steps * batch * hidden);
    for (size_t t = 0; t < steps; ++t)
        for (size_t b = 0; b < batch; ++b) {
            const size_t row = shape.batch_first ? b * steps + t : t * batch + b;
            lstm.step(x.data() + row * width, h.data() + b * hidden, c.data() + b * hidden);
            std::copy_n(h.begin() + static_cast<std::ptrdiff_t>(b * hidden), hidden, y.begin() + static_cast<std::ptrdiff_t>(row * hidden));
        }
    const Dims dims = shape.batch_first ? Dims{shape.batch, shape.steps, 1, shape.hidden} : Dims{shape.steps, 1, shape.batch, shape.hidden};
    ctx.give(0, from_ints(ctx.out_encoding(0)->storage, dims, y));
    give_state(ctx, 1, h, hidden_at);
    give_state(ctx, 2, c, cell_at);
}

bool fits_lstm(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    if (node.in.size() != operands || node.in[lengths_at] != ValueId::none || direction_count(view) != 1 ||
        view.text("direction") != "forward" || view.has("activations") || view.has("clip") || view.integer("input_forget") != 0)
        return false;
    const auto coded = [&](size_t i, DType storage, bool per_channel) {
        if (node.in[i] == ValueId::none) return false;
        const auto& e = graph.value(node.in[i]).enc;
        return integer_grid(e, per_channel) && e->storage == storage && (e->per_tensor() || e->axis == 1) &&
               (!per_channel || e->symmetric());
    };
    if (!integer_grid(out) || out.storage != DType::i8 || !coded(0, DType::i8, false) || !coded(weights_at, DType::i8, true) ||
        !coded(recurrence_at, DType::i8, true) || !coded(hidden_at, DType::i8, false) || !coded(cell_at, DType::i16, false) ||
        (node.in[bias_at] != ValueId::none && !coded(bias_at, DType::i32, true)))
        return false;
    const Encoding& cell = *graph.value(node.in[cell_at]).enc;
    int exponent = 0;
    return cell.symmetric() && std::frexp(to_floats(cell.scale)[0], &exponent) == 0.5f && exponent - 1 <= -9 && exponent - 1 >= -15;
}
constexpr Takes takes_lstm{fits_lstm,
                           "int8 data and weights, int16 cells with a power of two as scale, gates with encodings, forward, no lengths"};

constexpr std::array rows{ProfileRow{ops::LSTM, takes_lstm, eval_lstm_codes}};

}  // namespace

std::span<const ProfileRow> tflite_recurrent_rows() { return rows; }

}  // namespace quern
