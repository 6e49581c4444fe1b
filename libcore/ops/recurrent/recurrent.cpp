// LSTM, GRU and RNN: one cell each over a common loop. Each batch row is run on its own, so that sequences may differ in length; what lies
// after the end of a sequence is 0 in Y.
#include <algorithm>
#include <array>
#include <optional>

#include "libcore/ops/recurrent/recurrent.h"

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {

int64_t direction_count(const NodeView& node) {
    const std::string direction = node.text("direction");
    if (direction == "bidirectional") return 2;
    if (direction == "forward" || direction == "reverse") return 1;
    throw bad_input("attribute \"direction\" is \"{}\"", direction);
}

Recurrent recurrent_of(EvalCtx& ctx, int64_t gates) {
    const Tensor &x = ctx.need(0), &r = ctx.need(2);
    if (x.dims.size() != 3 || r.dims.size() != 3)
        throw bad_input("inputs 0 and 2 are {} and {}, need rank 3", to_string(x.dims), to_string(r.dims));
    const bool batch_first = ctx.integer("layout") != 0;
    Recurrent rec{
        x.dims[batch_first ? 1 : 0],       x.dims[batch_first ? 0 : 1], x.dims[2], r.dims[2], direction_count(ctx), gates, batch_first,
        ctx.text("direction") == "reverse"};
    const auto check = [&](size_t i, const Dims& want) {
        if (ctx.in(i) && ctx.in(i)->dims != want)
            throw bad_input("input {} is {}, need {}", i, to_string(ctx.in(i)->dims), to_string(want));
    };
    const int64_t rows = count_of(Dims{gates, rec.hidden});
    const Dims state = batch_first ? Dims{rec.batch, rec.directions, rec.hidden} : Dims{rec.directions, rec.batch, rec.hidden};
    if (ctx.has("hidden_size") && ctx.integer("hidden_size") != rec.hidden)
        throw bad_input("hidden_size is {}, need the {} of input 2", ctx.integer("hidden_size"), rec.hidden);
    check(1, {rec.directions, rows, rec.input});
    check(2, {rec.directions, rows, rec.hidden});
    check(3, {rec.directions, 2 * rows});
    check(4, {rec.batch});
    check(5, state);
    if (gates == 4) {
        check(6, state);
        check(7, {rec.directions, 3 * rec.hidden});
    }
    return rec;
}

namespace {

// Refuses an operand whose known dims are others than those wanted.
void check_operand(InferCtx& ctx, size_t i, const std::vector<Dim>& want) {
    if (!ctx.has_in(i) || !ctx.shape(i).ranked) return;
    bool fits = ctx.shape(i).rank() == want.size();
    for (size_t d = 0; fits && d < want.size(); ++d)
        fits = !ctx.shape(i).dims[d].known() || !want[d].known() || ctx.shape(i).dims[d] == want[d];
    if (!fits) throw bad_input("input {} is {}, need {}", i, to_string(ctx.shape(i)), to_string(Shape::of_dims(want)));
}

Dim times(int64_t count, const Dim& dim) { return dim.known() ? Dim::of(count_of(Dims{count, dim.value})) : Dim::unknown(); }

void check_weights(InferCtx& ctx, const Dim& directions, const Dim& hidden, const Dim& input, const Dim& batch) {
    const int64_t gates = ctx.node().is(ops::LSTM) ? 4 : ctx.node().is(ops::GRU) ? 3 : 1;
    const Dim rows = times(gates, hidden);
    check_operand(ctx, 1, {directions, rows, input});
    check_operand(ctx, 2, {directions, rows, hidden});
    check_operand(ctx, 3, {directions, times(2, rows)});
    check_operand(ctx, 4, {batch});
    if (gates == 4) check_operand(ctx, 7, {directions, times(3, hidden)});
}

}  // namespace

void infer_recurrent(InferCtx& ctx) {
    const Shape &x = ctx.shape(0), &r = ctx.shape(2);
    if ((x.ranked && x.rank() != 3) || (r.ranked && r.rank() != 3))
        throw bad_input("inputs 0 and 2 are {} and {}, need rank 3", to_string(x), to_string(r));
    const bool batch_first = ctx.integer("layout") != 0;
    if (ctx.has("hidden_size") && ctx.integer("hidden_size") < 1)
        throw bad_input("hidden_size is {}, need at least 1", ctx.integer("hidden_size"));
    const Dim directions = Dim::of(direction_count(ctx));
    Dim steps, batch, hidden = ctx.has("hidden_size") ? Dim::of(ctx.integer("hidden_size")) : Dim::unknown();
    if (x.ranked) {
        steps = x.dims[batch_first ? 1 : 0];
        batch = x.dims[batch_first ? 0 : 1];
    }
    if (r.ranked && r.dims[2].known()) {
        if (hidden.known() && hidden != r.dims[2])
            throw bad_input("hidden_size is {}, need the {} of input 2", hidden.value, r.dims[2].value);
        hidden = r.dims[2];
    }
    check_weights(ctx, directions, hidden, x.ranked ? x.dims[2] : Dim::unknown(), batch);
    const Shape last = Shape::of_dims(batch_first ? std::vector{batch, directions, hidden} : std::vector{directions, batch, hidden});
    for (size_t i = 5; i < std::min<size_t>(ctx.in_count(), 7); ++i) check_operand(ctx, i, last.dims);
    const Shape all =
        Shape::of_dims(batch_first ? std::vector{batch, steps, directions, hidden} : std::vector{steps, directions, batch, hidden});
    for (size_t i = 0; i < 3; ++i) ctx.set(i, Type::tensor(ctx.dtype(0), i == 0 ? all : last));
}

template <class T>
void give_recurrent(EvalCtx& ctx, const Recurrent& rec, const std::vector<T>& y, const std::vector<T>& h, const std::vector<T>* c) {
    const Dims state = rec.batch_first ? Dims{rec.batch, rec.directions, rec.hidden} : Dims{rec.directions, rec.batch, rec.hidden};
    const Dims all =
        rec.batch_first ? Dims{rec.batch, rec.steps, rec.directions, rec.hidden} : Dims{rec.steps, rec.directions, rec.batch, rec.hidden};
    const auto give = [&](size_t i, const Dims& dims, const std::vector<T>& items) {
        if (!ctx.wants(i)) return;
        NumbersOut<T> out(ctx, i, ctx.need(0).dtype, dims);
        std::copy(items.begin(), items.end(), out.span().begin());
    };
    give(0, all, y);
    give(1, state, h);
    if (c) give(2, state, *c);
}
template void give_recurrent(EvalCtx&, const Recurrent&, const std::vector<float>&, const std::vector<float>&, const std::vector<float>*);
template void give_recurrent(EvalCtx&, const Recurrent&, const std::vector<double>&, const std::vector<double>&,
                             const std::vector<double>*);

namespace {

// Parameters of one direction; weights as they are stored: [gates * hidden, input] and [gates * hidden, hidden].
template <class T>
struct Direction {
    const T *w, *r;
    const T *wb, *rb;           // biases, zeros if absent
    const T* peephole;          // LSTM: 3 * hidden
    const GateActivation* act;  // of this direction
    Clip<T> clip;
    int64_t hidden, gates;
};

// The parameters of all directions: views of the inputs where those are of type T already.
template <class T>
class Parameters {
   public:
    Parameters(EvalCtx& ctx, const Recurrent& rec, std::span<const GateActivation> acts)
        : rec_(rec), acts_(acts), clip_(clip_of<T>(ctx)), w_(ctx.need(1)), r_(ctx.need(2)) {
        if (ctx.in(3)) bias_.emplace(*ctx.in(3));
        if (rec.gates == 4 && ctx.in(7)) peephole_.emplace(*ctx.in(7));
        zeros_.resize(static_cast<size_t>(std::max<int64_t>(3, 2 * rec.gates) * rec.hidden), T{0});
    }
    Direction<T> direction(int64_t d) const {
        const int64_t rows = rec_.gates * rec_.hidden;
        const T* bias = bias_ ? bias_->span().data() + d * 2 * rows : zeros_.data();
        return {w_.span().data() + d * rows * rec_.input,
                r_.span().data() + d * rows * rec_.hidden,
                bias,
                bias + rows,
                peephole_ ? peephole_->span().data() + d * 3 * rec_.hidden : zeros_.data(),
                acts_.data() + static_cast<size_t>(d) * (acts_.size() / static_cast<size_t>(rec_.directions)),
                clip_,
                rec_.hidden,
                rec_.gates};
    }

   private:
    const Recurrent& rec_;
    std::span<const GateActivation> acts_;
    Clip<T> clip_;
    Numbers<T> w_, r_;
    std::optional<Numbers<T>> bias_, peephole_;
    std::vector<T> zeros_;
};

// The first state of every row and direction, zeros if absent.
template <class T>
std::vector<T> state_of(const Tensor* tensor, int64_t count) {
    if (!tensor) return std::vector<T>(static_cast<size_t>(count), T{0});
    const Numbers<T> all(*tensor);
    return {all.span().begin(), all.span().end()};
}

std::vector<int64_t> lengths_of(EvalCtx& ctx, const Recurrent& rec) {
    if (!ctx.in(4)) return std::vector<int64_t>(static_cast<size_t>(rec.batch), rec.steps);
    std::vector<int64_t> lengths = to_ints(*ctx.in(4));
    for (const int64_t length : lengths)
        if (length < 0 || length > rec.steps) throw bad_input("sequence length {} is outside of 0..{}", length, rec.steps);
    return lengths;
}

// Runs cell(direction, gates of x, h, c) over time; h and c are updated in place. The gates of x come with the biases of W.
template <class T, class Cell>
void run_recurrent(EvalCtx& ctx, const Recurrent& rec, std::span<const GateActivation> acts, const Cell& cell) {
    const DType type = ctx.need(0).dtype, w_type = ctx.need(1).dtype, r_type = ctx.need(2).dtype;
    if (type != w_type || type != r_type)
        throw bad_input("inputs are {}, {} and {}, need the same", name_of(type), name_of(w_type), name_of(r_type));
    const int64_t rows = rec.gates * rec.hidden, state_count = count_of(Dims{rec.directions, rec.batch, rec.hidden});
    const Numbers<T> x(ctx.need(0));
    const auto lengths = lengths_of(ctx, rec);
    std::vector<T> y(static_cast<size_t>(count_of(Dims{rec.steps, state_count})), T{0}),
        gates(static_cast<size_t>(count_of(Dims{rec.steps, rows})));
    std::vector<T> h = state_of<T>(ctx.in(5), state_count), c = state_of<T>(rec.gates == 4 ? ctx.in(6) : nullptr, state_count);
    const Parameters<T> parameters(ctx, rec, acts);
    const RecurrentPlaces at{rec};
    for (int64_t d = 0; d < rec.directions; ++d) {
        const Direction<T> dir = parameters.direction(d);
        for (int64_t b = 0; b < rec.batch; ++b) {
            const int64_t length = lengths[static_cast<size_t>(b)];
            T *h_row = h.data() + at.state(d, b), *c_row = c.data() + at.state(d, b);
            for (int64_t t = 0; t < length; ++t) std::copy_n(dir.wb, rows, gates.data() + t * rows);
            add_dots<T>(gates.data(), x.span().data() + at.x(0, b), at.x(1, 0), dir.w, length, rec.input, rows);
            for (int64_t s = 0; s < length; ++s) {
                const int64_t t = rec.backwards(d) ? length - 1 - s : s;
                cell(dir, gates.data() + t * rows, h_row, c_row);
                std::copy_n(h_row, rec.hidden, y.data() + at.y(t, d, b));
            }
        }
    }
    give_recurrent(ctx, rec, y, h, rec.gates == 4 ? &c : nullptr);
}

// ---- cells -----------------------------------------------------------------------------------------------------------------------

template <class T>
void add_to(T* to, const T* from, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

void eval_rnn(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 1> defaults{"Tanh"};
    const Recurrent rec = recurrent_of(ctx, 1);
    const auto acts = gate_activations(ctx, defaults, rec.directions);
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        run_recurrent<T>(ctx, rec, acts, [](const Direction<T>& dir, T* gate, T* h, T*) {
            add_to(gate, dir.rb, dir.hidden);
            add_dots<T>(gate, h, 0, dir.r, 1, dir.hidden, dir.hidden);
            for (int64_t i = 0; i < dir.hidden; ++i) h[i] = dir.act[0](dir.clip(gate[i]));
        });
    });
}

// Gates z, r, h. The hidden gate's recurrent part is reset before its product, or after it with linear_before_reset.
void eval_gru(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 2> defaults{"Sigmoid", "Tanh"};
    const Recurrent rec = recurrent_of(ctx, 3);
    const auto acts = gate_activations(ctx, defaults, rec.directions);
    const bool reset_after = ctx.integer("linear_before_reset") != 0;
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> own(static_cast<size_t>(rec.gates * rec.hidden)), reset(static_cast<size_t>(rec.hidden));
        run_recurrent<T>(ctx, rec, acts, [&](const Direction<T>& dir, T* gate, T* h, T*) {
            const int64_t n = dir.hidden;
            std::copy_n(dir.rb, 3 * n, own.data());
            add_dots<T>(own.data(), h, 0, dir.r, 1, n, (reset_after ? 3 : 2) * n);
            for (int64_t i = 0; i < 2 * n; ++i) gate[i] = dir.act[0](dir.clip(gate[i] + own[static_cast<size_t>(i)]));
            T *z = gate, *r = gate + n, *candidate = gate + 2 * n, *hidden_part = own.data() + 2 * n;
            if (!reset_after) {
                for (int64_t i = 0; i < n; ++i) reset[static_cast<size_t>(i)] = r[i] * h[i];
                add_dots<T>(hidden_part, reset.data(), 0, dir.r + 2 * n * n, 1, n, n);
            }
            for (int64_t i = 0; i < n; ++i) {
                const T recurrent = reset_after ? r[i] * hidden_part[i] : hidden_part[i];
                const T made = dir.act[1](dir.clip(candidate[i] + recurrent));
                h[i] = (T{1} - z[i]) * made + z[i] * h[i];
            }
        });
    });
}

// Beyond the standard's results, for calibration: the cells after each step, in the order of the steps.
constexpr size_t all_cells = 3;

void eval_lstm(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 3> defaults{"Sigmoid", "Tanh", "Tanh"};
    const Recurrent rec = recurrent_of(ctx, 4);
    const auto acts = gate_activations(ctx, defaults, rec.directions);
    const bool coupled = ctx.integer("input_forget") != 0;
    const float limit = ctx.real("cell_clip");
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        const Clip<T> cell_clip{static_cast<T>(limit)};
        std::vector<float> cells;
        const bool observed = ctx.wants(all_cells);
        run_recurrent<T>(ctx, rec, acts, [coupled, cell_clip, observed, &cells](const Direction<T>& dir, T* gate, T* h, T* c) {
            const int64_t n = dir.hidden;
            add_to(gate, dir.rb, 4 * n);
            add_dots<T>(gate, h, 0, dir.r, 1, n, 4 * n);
            LstmCell<T>{n, dir.peephole, dir.act, dir.clip, cell_clip, coupled}(gate, h, c);
            for (int64_t i = 0; observed && i < n; ++i) cells.push_back(static_cast<float>(c[i]));
        });
        if (observed) ctx.give(all_cells, from_floats(DType::f32, {static_cast<int64_t>(cells.size())}, cells));
    });
}

// ---- rows ------------------------------------------------------------------------------------------------------------------------

Cost recurrent_cost(const CostCtx& ctx) {
    const Dims &x = ctx.in[0], &w = ctx.in[1], &r = ctx.in[2];
    if (x.size() != 3) return {};
    return {static_cast<double>(x[0]) * static_cast<double>(x[1]) * (elements(w) + elements(r)), moved_bytes(ctx)};
}

constexpr AttrDef activations{"activations", AttrKind::texts}, alphas{"activation_alpha", AttrKind::reals},
    betas{"activation_beta", AttrKind::reals}, clip{"clip", AttrKind::real}, direction{"direction", AttrKind::text, "forward"},
    hidden_size{"hidden_size", AttrKind::integer}, batch_layout{"layout", AttrKind::integer, "0"};
constexpr std::array rnn_attrs{alphas, betas, activations, clip, direction, hidden_size, batch_layout};
constexpr std::array gru_attrs{alphas,    betas,       activations,  clip,
                               direction, hidden_size, batch_layout, AttrDef{"linear_before_reset", AttrKind::integer, "0"}};
// cell_clip is TFLite's: a bound of the cell state itself, 0: none.
constexpr std::array lstm_attrs{alphas,
                                betas,
                                activations,
                                clip,
                                direction,
                                hidden_size,
                                AttrDef{"input_forget", AttrKind::integer, "0"},
                                batch_layout,
                                AttrDef{"cell_clip", AttrKind::real, "0"}};

constexpr Op recurrent(std::string_view name, Arity in, Arity out, std::span<const AttrDef> attrs, void (*eval)(EvalCtx&),
                       std::string_view doc, QuantRule quant = {}) {
    return {.name = name,
            .in = in,
            .out = out,
            .attrs = attrs,
            .types = dtypes::floats,
            .infer = infer_recurrent,
            .eval = eval,
            .quant = quant,
            .cost = recurrent_cost,
            .doc = doc};
}

constexpr std::array recurrent_table{
    recurrent("LSTM", {3, 8}, {0, 3}, lstm_attrs, eval_lstm, "long short-term memory, with peepholes", rules::none.with(rules::friendly)),
    recurrent("GRU", {3, 6}, {0, 2}, gru_attrs, eval_gru, "gated recurrent unit"),
    recurrent("RNN", {3, 6}, {0, 2}, rnn_attrs, eval_rnn, "simple recurrent network"),
};

}  // namespace

std::span<const Op> recurrent_ops() { return recurrent_table; }

}  // namespace quern
