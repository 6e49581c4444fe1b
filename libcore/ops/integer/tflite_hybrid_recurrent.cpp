// The tflite profile: LSTM, RNN and SVDF on real numbers with int8 weights (dynamic range models). What meets a matrix of weights - a row
// of the input, the last result - is rounded to codes on the way in; the sums become real at once, and the cell computes on real numbers.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/add_coded_rows.h"
#include "libcore/ops/integer/hybrid.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/recurrent.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/svdf.h"

namespace quern {
namespace {

using namespace recurrent_operands;

// Rows of weights in codes, with a scale for each or one for all.
class CodedRows {
   public:
    CodedRows(EvalCtx& ctx, size_t at, int64_t rows, int64_t length)
        : scales_(to_floats(ctx.in_encoding(at)->scale)),
          rounded_(static_cast<size_t>(length)),
          symmetric_(!ctx.node().attrs.contains(asymmetric_key)) {
        const auto count = static_cast<size_t>(rows);
        if (scales_.size() != 1 && scales_.size() != count) throw bad_input("weights have {} scales for {} rows", scales_.size(), rows);
        scales_.resize(count, scales_[0]);
        const auto codes = to_ints(ctx.need(at));
        codes_.assign(codes.begin(), codes.end());
    }

    // sums[row] += row * x
    void add(const float* x, float* sums) {
        const size_t length = rounded_.size();
        const float scale = round_slice({x, length}, rounded_, symmetric_);
        const std::vector<int64_t> codes(rounded_.begin(), rounded_.end());
        add_coded_rows(codes.data(), scale, codes_.data(), scales_.data(), sums, static_cast<int32_t>(scales_.size()),
                       static_cast<int32_t>(length));
    }

   private:
    std::vector<int8_t> codes_;
    std::vector<float> scales_;
    std::vector<int32_t> rounded_;
    bool symmetric_;
};

// Operand `at` as real numbers, `count` zeros if it is absent.
std::vector<float> reals(EvalCtx& ctx, size_t at, int64_t count) {
    if (!ctx.in(at)) return std::vector<float>(static_cast<size_t>(count), 0.0f);
    const Encoding* encoding = ctx.in_encoding(at);
    return to_floats(encoding ? dequantize(ctx.need(at), *encoding) : ctx.need(at));
}

// Runs cell(sums of the gates, h, c) over time in one direction.
template <class Cell>
void run(EvalCtx& ctx, const Recurrent& rec, const Cell& cell) {
    const int64_t rows = rec.gates * rec.hidden, states = count_of(Dims{rec.batch, rec.hidden});
    CodedRows weights(ctx, weights_at, rows, rec.input), recurrence(ctx, recurrence_at, rows, rec.hidden);
    std::vector<float> bias = reals(ctx, bias_at, 2 * rows), h = reals(ctx, hidden_at, states), c;
    if (rec.gates == 4) c = reals(ctx, cell_at, states);
    for (size_t i = 0; i < static_cast<size_t>(rows); ++i) bias[i] += bias[i + static_cast<size_t>(rows)];
    bias.resize(static_cast<size_t>(rows));
    const Numbers<float> x(ctx.need(0));
    std::vector<float> y(static_cast<size_t>(count_of(Dims{rec.steps, states}))), gates;
    const RecurrentPlaces at{rec};
    for (int64_t b = 0; b < rec.batch; ++b)
        for (int64_t step = 0; step < rec.steps; ++step) {
            const int64_t t = rec.backwards(0) ? rec.steps - 1 - step : step;
            float* own = h.data() + at.state(0, b);
            gates = bias;
            weights.add(x.span().data() + at.x(t, b), gates.data());
            recurrence.add(own, gates.data());
            cell(gates.data(), own, rec.gates == 4 ? c.data() + at.state(0, b) : nullptr);
            std::copy_n(own, rec.hidden, y.data() + at.y(t, 0, b));
        }
    give_recurrent(ctx, rec, y, h, rec.gates == 4 ? &c : nullptr);
}

void eval_lstm(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 3> defaults{"Sigmoid", "Tanh", "Tanh"};
    const Recurrent rec = recurrent_of(ctx, 4);
    const auto activations = gate_activations(ctx, defaults, 1);
    const auto peepholes = reals(ctx, peepholes_at, 3 * rec.hidden);
    run(ctx, rec,
        LstmCell<float>{rec.hidden, peepholes.data(), activations.data(), Clip<float>{0}, Clip<float>{ctx.real("cell_clip")}, false});
}

void eval_rnn(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 1> defaults{"Tanh"};
    const Recurrent rec = recurrent_of(ctx, 1);
    const GateActivation activation = gate_activations(ctx, defaults, 1).at(0);
    run(ctx, rec, [&](const float* gates, float* h, float*) { std::transform(gates, gates + rec.hidden, h, activation); });
}

void eval_svdf(EvalCtx& ctx) {
    const SvdfSizes s = svdf_sizes(ctx);
    CodedRows filters(ctx, 1, s.filters, s.input);
    const Numbers<float> x(ctx.need(0));
    std::vector<float> fresh(static_cast<size_t>(s.batch * s.filters), 0.0f);
    for (int64_t b = 0; b < s.batch; ++b) filters.add(x.span().data() + b * s.input, fresh.data() + b * s.filters);
    give_svdf(ctx, s, fresh, reals(ctx, 2, 0));
}

// ---- what is taken ---------------------------------------------------------------------------------------------------------

const Value* operand(const Graph& graph, const Node& node, size_t i) {
    return i < node.in.size() && node.in[i] != ValueId::none ? &graph.value(node.in[i]) : nullptr;
}

// Constant codes of int8 with a scale for the tensor, or one for each index along `axis`.
bool coded(const Graph& graph, const Node& node, size_t i, int axis) {
    const Value* w = operand(graph, node, i);
    return w && w->constant() && integer_grid(w->enc, true) && w->enc->symmetric() && w->enc->storage == DType::i8 &&
           (w->enc->per_tensor() || w->enc->axis == axis);
}

// Real numbers, or absent.
bool real(const Graph& graph, const Node& node, size_t i) {
    const Value* x = operand(graph, node, i);
    return !x || (!x->enc && x->type.dtype == DType::f32);
}

bool fits_recurrent(const Graph& graph, const Node& node, const Encoding&) {
    const NodeView view(node);
    return direction_count(view) == 1 && !view.has("clip") && !operand(graph, node, lengths_at) && coded(graph, node, weights_at, 1) &&
           coded(graph, node, recurrence_at, 1) && operand(graph, node, 0) && real(graph, node, 0) && real(graph, node, bias_at) &&
           real(graph, node, hidden_at) && real(graph, node, cell_at);
}
constexpr Takes takes_recurrent{fits_recurrent,
                                "float32 data and states, constant symmetric int8 weights, one direction, no lengths, no clip"};

bool fits_lstm(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_recurrent(graph, node, out) && NodeView(node).integer("input_forget") == 0;
}
constexpr Takes takes_lstm{fits_lstm,
                           "float32 data and states, constant symmetric int8 weights, one direction, no lengths, no clip, no input_forget"};

bool fits_svdf(const Graph& graph, const Node& node, const Encoding&) {
    const Value* times = operand(graph, node, 2);
    return coded(graph, node, 1, 0) && operand(graph, node, 0) && real(graph, node, 0) && real(graph, node, 3) && real(graph, node, 4) &&
           times && times->type.dtype == DType::f32 && (!times->enc || integer_grid(times->enc, true));
}
constexpr Takes takes_svdf{fits_svdf, "float32 data and state, constant symmetric int8 filters"};

constexpr std::array rows{
    ProfileRow{.op = ops::LSTM, .takes = takes_lstm, .eval = eval_lstm, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::RNN, .takes = takes_recurrent, .eval = eval_rnn, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::own::SVDF, .takes = takes_svdf, .eval = eval_svdf, .result = ProfileRow::Result::real},
};

}  // namespace

std::span<const ProfileRow> tflite_hybrid_recurrent_rows() { return rows; }

}  // namespace quern
