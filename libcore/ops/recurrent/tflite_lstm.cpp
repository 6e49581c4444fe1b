// The tflite profile: LSTM with int8 operands and a state of int16 cells whose scale is a power of two. Gates are int16 with 12
// fractional bits, activations have 15.
#include "libcore/ops/recurrent/tflite_lstm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/integer/recurrent.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/profile.h"

namespace quern {
namespace {

using namespace recurrent_operands;
constexpr size_t operands = 7;

// Final states leave as real numbers, where somebody wants them.
template <class T>
void give_state(EvalCtx& ctx, size_t out, const std::vector<T>& codes, size_t in) {
    if (ctx.wants(out)) ctx.give(out, dequantize(Tensor::make<T>(ctx.need(in).dims, codes), *ctx.in_encoding(in)));
}

template <class T>
std::vector<T> state(const Tensor& codes, int64_t count) {
    if (codes.count() != count) throw bad_input("states have {} numbers, need {}", codes.count(), count);
    const auto items = to_ints(codes);
    return {items.begin(), items.end()};
}

LstmFactors factors_of(EvalCtx& ctx, int64_t hidden) {
    return lstm_factors({ctx.in_encoding(0), ctx.in_encoding(weights_at), ctx.in_encoding(hidden_at), ctx.in_encoding(recurrence_at)},
                        hidden);
}

void eval_lstm_codes(EvalCtx& ctx) {
    compute_lstm(ctx, [&](const LstmRun& run) {
        const LstmFactors factors = factors_of(ctx, run.sizes.hidden);
        const std::vector<int32_t> bias = lstm_bias(ctx.in(bias_at), run.sizes.hidden);
        std::vector<int16_t> gates(static_cast<size_t>(4 * run.sizes.hidden));
        const auto bytes = [&](size_t i) { return ctx.need(i).view<int8_t>().data(); };
        lstm_codes(bytes(0), bytes(weights_at), bytes(recurrence_at), bias.data(), factors.factors.data(), factors.shifts.data(), run.y,
                   run.h, run.c, gates.data(), &run.sizes);
    });
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

constexpr std::array tflite_lstm_table{ProfileRow{ops::LSTM, takes_lstm, eval_lstm_codes}};

}  // namespace

LstmFactors lstm_factors(const LstmEncodings& encodings, int64_t hidden) {
    constexpr float gate_scale = 1.0f / 4096;
    LstmFactors out;
    const auto add = [&](const Encoding& weights, float x_scale) {
        std::vector<float> scales = to_floats(weights.scale);
        scales.resize(static_cast<size_t>(4 * hidden), scales[0]);
        for (const float scale : scales) {
            const FixedFactor factor = FixedFactor::of(static_cast<double>(scale * x_scale / gate_scale));
            out.factors.push_back(factor.factor);
            out.shifts.push_back(static_cast<int8_t>(factor.shift));
        }
    };
    add(*encodings.weights, scale_of(*encodings.x));
    add(*encodings.recurrence, scale_of(*encodings.hidden));
    return out;
}

lstm_codes_t lstm_sizes(const NodeView& node, const Encoding& x, const Encoding& hidden, const Encoding& cells,
                        const std::map<std::string, Encoding>& internal, const Recurrent& shape) {
    const auto found = internal.find("hidden");
    const Encoding& made = found == internal.end() ? hidden : found->second;
    const float cell = scale_of(cells);
    const FixedFactor result =
        FixedFactor::of(static_cast<double>(static_cast<float>(0x1p-15 / static_cast<double>(scale_of(made)) * 0x1p-15)));
    lstm_codes_t s{};
    s.steps = narrow(shape.steps), s.batch = narrow(shape.batch), s.width = narrow(shape.input), s.hidden = narrow(shape.hidden);
    s.x_t = narrow(shape.batch_first ? shape.input : shape.batch * shape.input);
    s.x_b = narrow(shape.batch_first ? shape.steps * shape.input : shape.input);
    s.y_t = narrow(shape.batch_first ? shape.hidden : shape.batch * shape.hidden);
    s.y_b = narrow(shape.batch_first ? shape.steps * shape.hidden : shape.hidden);
    s.x_zero = narrow(x.zero_at()), s.h_zero = narrow(hidden.zero_at());
    is_power_of_two(cell, s.power);
    s.out_factor = result.factor, s.out_shift = result.shift, s.out_zero = narrow(made.zero_at());
    s.cell_clip = node.has("cell_clip") ? static_cast<int32_t>(std::clamp(node.real("cell_clip") / cell, 0.0f, 32767.0f)) : 0;
    return s;
}

std::vector<int32_t> lstm_bias(const Tensor* codes, int64_t hidden) {
    std::vector<int32_t> bias(static_cast<size_t>(8 * hidden), 0);
    if (!codes) return bias;
    const auto items = to_ints(*codes);
    if (items.size() != bias.size()) throw bad_input("bias has {} numbers, need {}", items.size(), bias.size());
    std::ranges::copy(items, bias.begin());
    return bias;
}

void compute_lstm(EvalCtx& ctx, const std::function<void(const LstmRun&)>& loop) {
    const Recurrent shape = recurrent_of(ctx, 4);
    auto h = state<int8_t>(ctx.need(hidden_at), shape.batch * shape.hidden);
    auto c = state<int16_t>(ctx.need(cell_at), shape.batch * shape.hidden);
    const Dims dims = shape.batch_first ? Dims{shape.batch, shape.steps, 1, shape.hidden} : Dims{shape.steps, 1, shape.batch, shape.hidden};
    auto* y = reinterpret_cast<int8_t*>(ctx.out(0, DType::i8, dims));
    loop({lstm_sizes(ctx, *ctx.in_encoding(0), *ctx.in_encoding(hidden_at), *ctx.in_encoding(cell_at), ctx.node().internal, shape), y,
          h.data(), c.data()});
    give_state(ctx, 1, h, hidden_at);
    give_state(ctx, 2, c, cell_at);
}

std::span<const ProfileRow> tflite_recurrent_rows() { return tflite_lstm_table; }

}  // namespace quern
