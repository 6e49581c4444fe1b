// The tflite profile: LSTM, RNN and SVDF on real numbers with int8 weights (dynamic range models). What meets a matrix of weights - a row
// of the input, the last result - is rounded to codes on the way in; the sums become real at once, and the cell computes on real numbers.
#include "libcore/ops/recurrent/tflite_hybrid_recurrent.h"

#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/integer/recurrent.h"
#include "libcore/ops/integer/hybrid.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/svdf.h"

namespace quern {
namespace {

using namespace recurrent_operands;

// Rows of weights in codes, with a scale for each or one for all.
class CodedRows {
   public:
    CodedRows(EvalCtx& ctx, size_t at) : symmetric_(!ctx.node().attrs.contains(asymmetric_key)) {
        const Dims& dims = ctx.need(at).dims;
        length_ = static_cast<size_t>(dims.back());
        const auto codes = to_ints(ctx.need(at));
        codes_.assign(codes.begin(), codes.end());
        scales_ = row_scales(*ctx.in_encoding(at), dims[dims.size() - 2]);
    }

    // sums[row] += row * x
    void add(const float* x, float* sums) const {
        std::vector<int32_t> rounded(length_);
        const float scale = round_slice({x, length_}, rounded, symmetric_);
        const std::vector<int64_t> codes(rounded.begin(), rounded.end());
        add_coded_rows(codes.data(), scale, codes_.data(), scales_.data(), sums, static_cast<int32_t>(scales_.size()),
                       static_cast<int32_t>(length_));
    }

    int64_t length() const { return static_cast<int64_t>(length_); }

   private:
    std::vector<int8_t> codes_;
    std::vector<float> scales_;
    size_t length_;
    bool symmetric_;
};

class CodedProducts : public HybridProducts {
   public:
    explicit CodedProducts(EvalCtx& ctx) {
        rows_.emplace_back(ctx, weights_at);
        if (!ctx.node().is(ops::own::SVDF)) rows_.emplace_back(ctx, recurrence_at);
    }
    void add(Which which, const HybridRows& rows) const override {
        const CodedRows& weights = rows_[which == Which::input ? 0 : 1];
        for (int64_t i = 0; i < rows.count; ++i) weights.add(rows.x + i * weights.length(), rows.sums + i * rows.next);
    }

   private:
    std::vector<CodedRows> rows_;
};

// Operand `at` as real numbers, `count` zeros if it is absent.
std::vector<float> reals(EvalCtx& ctx, size_t at, int64_t count) {
    if (!ctx.in(at)) return std::vector<float>(static_cast<size_t>(count), 0.0f);
    const Encoding* encoding = ctx.in_encoding(at);
    return to_floats(encoding ? dequantize(ctx.need(at), *encoding) : ctx.need(at));
}

// What the gates of each step begin with: both biases.
std::vector<float> biases(EvalCtx& ctx, int64_t rows, int64_t copies) {
    const std::vector<float> both = reals(ctx, bias_at, 2 * rows);
    std::vector<float> all(static_cast<size_t>(count_of(Dims{copies, rows})));
    for (size_t i = 0, row = 0; i < all.size(); ++i, row = row + 1 < static_cast<size_t>(rows) ? row + 1 : 0)
        all[i] = both[row] + both[row + static_cast<size_t>(rows)];
    return all;
}

// Runs cell(sums of the gates, h, c) over time in one direction.
template <class Cell>
void run(EvalCtx& ctx, const HybridProducts& products, const Recurrent& rec, const Cell& cell) {
    const int64_t rows = rec.gates * rec.hidden, n = rec.hidden, states = count_of(Dims{rec.batch, n});
    std::vector<float> gates = biases(ctx, rows, rec.steps * rec.batch), h = reals(ctx, hidden_at, states), c;
    if (rec.gates == 4) c = reals(ctx, cell_at, states);
    const Numbers<float> x(ctx.need(0));
    products.add(HybridProducts::Which::input, {x.span().data(), gates.data(), rows, rec.steps * rec.batch});
    std::vector<float> y(static_cast<size_t>(count_of(Dims{rec.steps, states})));
    const RecurrentPlaces at{rec};
    const auto gates_of = [&](int64_t t, int64_t b) {
        return gates.data() + (rec.batch_first ? b * rec.steps + t : t * rec.batch + b) * rows;
    };
    const int64_t next = rec.batch_first ? rec.steps * rows : rows;
    for (int64_t step = 0; step < rec.steps; ++step) {
        const int64_t t = rec.backwards(0) ? rec.steps - 1 - step : step;
        products.add(HybridProducts::Which::state, {h.data(), gates_of(t, 0), next, rec.batch});
        for (int64_t b = 0; b < rec.batch; ++b) {
            float* own = h.data() + at.state(0, b);
            cell(gates_of(t, b), own, rec.gates == 4 ? c.data() + at.state(0, b) : nullptr);
            std::copy_n(own, n, y.data() + at.y(t, 0, b));
        }
    }
    give_recurrent(ctx, rec, y, h, rec.gates == 4 ? &c : nullptr);
}

void compute_lstm(EvalCtx& ctx, const HybridProducts& products) {
    constexpr std::array<std::string_view, 3> defaults{"Sigmoid", "Tanh", "Tanh"};
    const Recurrent rec = recurrent_of(ctx, 4);
    const auto activations = gate_activations(ctx, defaults, 1);
    const auto peepholes = reals(ctx, peepholes_at, 3 * rec.hidden);
    run(ctx, products, rec,
        LstmCell<float>{rec.hidden, peepholes.data(), activations.data(), Clip<float>{0}, Clip<float>{ctx.real("cell_clip")}, false});
}

void compute_rnn(EvalCtx& ctx, const HybridProducts& products) {
    constexpr std::array<std::string_view, 1> defaults{"Tanh"};
    const Recurrent rec = recurrent_of(ctx, 1);
    const GateActivation activation = gate_activations(ctx, defaults, 1).at(0);
    run(ctx, products, rec, [&](const float* gates, float* h, float*) { std::transform(gates, gates + rec.hidden, h, activation); });
}

void compute_svdf(EvalCtx& ctx, const HybridProducts& products) {
    const SvdfSizes s = svdf_sizes(ctx);
    const Numbers<float> x(ctx.need(0));
    std::vector<float> fresh(static_cast<size_t>(s.batch * s.filters), 0.0f);
    products.add(HybridProducts::Which::input, {x.span().data(), fresh.data(), s.filters, s.batch});
    give_svdf(ctx, s, fresh, reals(ctx, svdf_operands::times_at, 0));
}

void eval_hybrid(EvalCtx& ctx) { compute_hybrid(ctx, CodedProducts(ctx)); }

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

constexpr std::array tflite_hybrid_recurrent_table{
    ProfileRow{.op = ops::LSTM, .takes = takes_lstm, .eval = eval_hybrid, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::RNN, .takes = takes_recurrent, .eval = eval_hybrid, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::own::SVDF, .takes = takes_svdf, .eval = eval_hybrid, .result = ProfileRow::Result::real},
};

}  // namespace

std::vector<float> row_scales(const Encoding& weights, int64_t rows) {
    std::vector<float> scales = to_floats(weights.scale);
    const auto count = static_cast<size_t>(rows);
    if (scales.size() != 1 && scales.size() != count) throw bad_input("weights have {} scales for {} rows", scales.size(), rows);
    scales.resize(count, scales[0]);
    return scales;
}

void compute_hybrid(EvalCtx& ctx, const HybridProducts& products) {
    if (ctx.node().is(ops::LSTM)) return compute_lstm(ctx, products);
    ctx.node().is(ops::RNN) ? compute_rnn(ctx, products) : compute_svdf(ctx, products);
}

std::span<const ProfileRow> tflite_hybrid_recurrent_rows() { return tflite_hybrid_recurrent_table; }

}  // namespace quern
