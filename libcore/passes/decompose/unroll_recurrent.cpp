// LSTM, GRU and RNN step by step. The products of all inputs of a direction come first, in one; each step adds that of its state.
#include "libcore/passes/decompose/unroll_recurrent.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/passes/expansion.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using namespace recurrent_operands;
using Values = std::vector<ValueId>;
constexpr DType t = DType::f32;

// Rows [from, from + count) * hidden of what a direction's operand has.
struct Gates {
    int64_t from, count;
};

// Places [first, first + count) of a tensor's first dim.
Tensor leading(const Tensor& all, int64_t first, int64_t count) {
    if (bits_of(all.dtype) < 8) {  // packed elements are taken apart first
        const Tensor wide = leading(Tensor::make<int64_t>(all.dims, to_ints(all)), first, count);
        return from_ints(all.dtype, wide.dims, wide.view<int64_t>());
    }
    const size_t each = all.data.size() / static_cast<size_t>(all.dims[0]);
    const std::byte* from = all.data.data() + static_cast<size_t>(first) * each;
    Dims dims = all.dims;
    dims[0] = count;
    return {all.dtype, std::move(dims), Bytes::own(std::vector(from, from + static_cast<size_t>(count) * each))};
}

class Unrolling {
   public:
    Unrolling(Graph& graph, NodeId id) : graph_(graph), id_(id), node_(graph.node(id)), view_(node_), add_(graph, id) {}

    bool possible() {
        const Shape& x = graph_.value(node_.in[0]).type.shape;
        if (graph_.value(node_.in[0]).type.dtype != t || x.rank() != 3) return false;
        for (const Dim& dim : x.dims)
            if (!dim.known()) return false;
        batch_first_ = view_.integer("layout") == 1;
        steps_ = x.dims[batch_first_ ? 1 : 0].value;
        batch_ = x.dims[batch_first_ ? 0 : 1].value;
        if (steps_ < 1 || steps_ > unrolled_limit || batch_ < 1 || has(peepholes_at) || view_.has("clip")) return false;
        if (node_.is(ops::LSTM) && view_.integer("input_forget") != 0) return false;
        if (has(bias_at) && !is_plain_constant(graph_, node_.in[bias_at])) return false;
        if (!can_turn(weights_at) || !can_turn(recurrence_at)) return false;
        const Shape& recurrence = graph_.value(node_.in[recurrence_at]).type.shape;
        if (recurrence.rank() != 3) return false;
        directions_ = recurrence.dims[0].value;
        hidden_ = recurrence.dims[2].value;
        gates_ = node_.is(ops::LSTM) ? 4 : node_.is(ops::GRU) ? 3 : 1;
        return recurrence.dims[1].value == gates_ * hidden_ && read_activations();
    }

    void run() {
        Values sequences, hidden, cells;
        for (int64_t d = 0; d < directions_; ++d) {
            const auto [all, h, c] = direction(d);
            sequences.push_back(all);
            hidden.push_back(h);
            cells.push_back(c);
        }
        give(1, hidden, batch_first_ ? 1 : 0);
        if (node_.is(ops::LSTM)) give(2, cells, batch_first_ ? 1 : 0);
        const Attrs axis{{"axis", int64_t{batch_first_ ? 2 : 1}}};
        if (wanted(0)) return add_.finish(ops::Concat, sequences, axis);
        graph_.erase(id_);
    }

   private:
    bool has(size_t i) const { return input_of(node_, i) != ValueId::none; }
    bool wanted(size_t out) const { return out < node_.out.size() && node_.out[out] != ValueId::none; }

    // Those that need no parameters.
    bool read_activations() {
        const size_t each = node_.is(ops::LSTM) ? 3 : node_.is(ops::GRU) ? 2 : 1;
        const auto names = view_.has("activations") ? view_.texts("activations") : std::vector<std::string>();
        if (names.empty())
            for (int64_t d = 0; d < directions_; ++d)
                for (size_t i = 0; i < each; ++i) activations_.push_back(each > 1 && i == 0 ? ops::Sigmoid : ops::Tanh);
        for (const std::string& name : names) {
            constexpr std::array known{ops::Sigmoid, ops::Tanh, ops::Relu};
            const auto found = std::ranges::find(known, name, &OpId::name);
            if (found == known.end()) return false;
            activations_.push_back(*found);
        }
        return activations_.size() == each * static_cast<size_t>(directions_);
    }
    OpId activation(int64_t d, size_t i) const {
        return activations_[static_cast<size_t>(d) * activations_.size() / static_cast<size_t>(directions_) + i];
    }

    // ---- constants -----------------------------------------------------------------------------------------------------------------

    // Numbers, or codes or small floats with a scale for all, for each row, or for blocks of a row.
    bool can_turn(size_t operand) const {
        const Value& weights = graph_.value(node_.in[operand]);
        if (!weights.constant() || !weights.enc) return is_plain_constant(graph_, node_.in[operand]);
        const Encoding& codes = *weights.enc;
        if (!codes.is_fixed() || codes.format || codes.min.defined() || codes.real != t) return false;
        return codes.per_tensor() || codes.axis == (codes.block > 0 ? 2 : 1);
    }

    // Rows of a direction of an operand [directions, rows, columns] turned around, [columns, count * hidden], in codes if that is.
    ValueId turned(size_t operand, int64_t d, Gates gates) {
        const ValueId made =
            add_.constant(turned_numbers(*graph_.constant(node_.in[operand]), d, gates), operand == weights_at ? "weights" : "recurrence");
        std::optional<Encoding> codes = graph_.value(node_.in[operand]).enc;
        if (!codes) return made;
        for (Tensor* part : {&codes->scale, &codes->zero}) {
            if (!part->defined() || codes->per_tensor()) continue;
            if (codes->block > 0)
                *part = turned_numbers(*part, d, gates);
            else
                *part = leading(*part, gates.from * hidden_, gates.count * hidden_);
        }
        if (!codes->per_tensor()) codes->axis = codes->block > 0 ? 0 : 1;
        graph_.value(made).type.dtype = codes->real;
        graph_.value(made).enc = std::move(codes);
        return made;
    }
    Tensor turned_numbers(const Tensor& all, int64_t d, Gates gates) const {
        constexpr std::array<int64_t, 2> order{1, 0};
        const Tensor rows{all.dtype, {all.dims[0] * all.dims[1], all.dims[2]}, all.data};
        return permuted(leading(rows, d * all.dims[1] + gates.from * hidden_, gates.count * hidden_), order);
    }

    // What is added to the products of inputs (half 0), of states (half 1), or to both.
    std::vector<float> bias(int64_t d, Gates gates, bool inputs, bool states) const {
        std::vector<float> sum(static_cast<size_t>(gates.count * hidden_), 0.0f);
        if (!has(bias_at)) return sum;
        const std::vector<float> all = to_floats(*graph_.constant(node_.in[bias_at]));
        for (int64_t half = 0; half < 2; ++half)
            for (size_t k = 0; (half == 0 ? inputs : states) && k < sum.size(); ++k)
                sum[k] += all.at(static_cast<size_t>(((d * 2 + half) * gates_ + gates.from) * hidden_) + k);
        return sum;
    }
    ValueId with_bias(ValueId x, const std::vector<float>& bias) {
        if (std::ranges::all_of(bias, [](float item) { return item == 0; })) return x;
        return add(ops::Add, {x, add_.constant(Tensor::vector<float>(bias), "bias")});
    }

    // ---- parts ---------------------------------------------------------------------------------------------------------------------

    ValueId add(OpId op, Values in, Attrs attrs = {}) { return add_.add(op, std::move(in), std::move(attrs)); }
    ValueId shaped(ValueId x, const Dims& dims) { return add(ops::Reshape, {x, add_.integers(dims, "dims")}); }

    Values split(ValueId x, int64_t axis, int64_t count, int64_t size) {
        if (count == 1) return {x};
        Values parts;
        for (int64_t i = 0; i < count; ++i) parts.push_back(add_.value("part"));
        add_.put(ops::Split, {x, add_.integers(Dims(static_cast<size_t>(count), size), "sizes")}, parts, {{"axis", axis}});
        return parts;
    }

    // Products of all inputs, [batch, gates * hidden] of each step.
    Values inputs(int64_t d, Gates gates, bool with_states) {
        const ValueId product = add(ops::MatMul, {node_.in[0], turned(weights_at, d, gates)});
        const ValueId all = with_bias(product, bias(d, gates, true, with_states));
        Values steps = split(all, batch_first_ ? 1 : 0, steps_, 1);
        for (ValueId& step : steps) step = shaped(step, {batch_, gates.count * hidden_});
        return steps;
    }

    ValueId zeros() {
        const std::vector<float> zeros(static_cast<size_t>(batch_ * hidden_), 0.0f);
        return add_.constant(from_floats(t, {batch_, hidden_}, zeros), "first");
    }

    // bool [batch, 1]: of which sequences is that step a part?
    ValueId inside_at(size_t step) {
        const ValueId number = add_.scalar(static_cast<int64_t>(step), graph_.value(node_.in[lengths_at]).type.dtype, "step");
        return shaped(add(ops::Greater, {node_.in[lengths_at], number}), {batch_, 1});
    }
    ValueId chosen(ValueId inside, ValueId a, ValueId b) { return inside == ValueId::none ? a : add(ops::Where, {inside, a, b}); }

    // The state that a direction begins with, [batch, hidden].
    ValueId first(size_t operand, int64_t d) {
        if (!has(operand)) return zeros();
        const Values parts = split(node_.in[operand], batch_first_ ? 1 : 0, directions_, 1);
        return shaped(parts[static_cast<size_t>(d)], {batch_, hidden_});
    }

    // ---- steps ---------------------------------------------------------------------------------------------------------------------

    struct Direction {
        ValueId all, hidden, cell;  // all: [steps, 1, batch, hidden] or [batch, steps, 1, hidden]
    };
    struct Step {
        ValueId hidden, cell = ValueId::none;
    };
    using Walk = std::function<Step(size_t at, const Step& before)>;

    Direction direction(int64_t d) {
        const bool backwards = d == 1 || view_.text("direction") == "reverse";
        const Walk walk = node_.is(ops::LSTM) ? lstm(d) : node_.is(ops::GRU) ? gru(d) : rnn(d);
        Step now{first(hidden_at, d), node_.is(ops::LSTM) ? first(cell_at, d) : ValueId::none};
        const auto count = static_cast<size_t>(steps_);
        Values all(count);
        for (size_t i = 0; i < count; ++i) {
            const size_t at = backwards ? count - 1 - i : i;
            const Step next = walk(at, now);
            const ValueId inside = has(lengths_at) ? inside_at(at) : ValueId::none;
            all[at] = inside == ValueId::none ? next.hidden : chosen(inside, next.hidden, zeros());
            now.hidden = chosen(inside, next.hidden, now.hidden);
            if (next.cell != ValueId::none) now.cell = chosen(inside, next.cell, now.cell);
        }
        const std::vector<int64_t> dims =
            batch_first_ ? std::vector{batch_, int64_t{1}, int64_t{1}, hidden_} : std::vector{int64_t{1}, int64_t{1}, batch_, hidden_};
        for (ValueId& step : all) step = shaped(step, dims);
        const ValueId joined = wanted(0) ? add(ops::Concat, all, {{"axis", int64_t{batch_first_ ? 1 : 0}}}) : ValueId::none;
        return {joined, now.hidden, now.cell};
    }

    Walk rnn(int64_t d) {
        const Gates gate{0, 1};
        return [this, d, x = inputs(d, gate, true), r = turned(recurrence_at, d, gate)](size_t at, const Step& before) {
            return Step{add(activation(d, 0), {add(ops::Add, {x[at], add(ops::MatMul, {before.hidden, r})})})};
        };
    }

    // Gates input, output and forget in one, and that of the cell.
    Walk lstm(int64_t d) {
        const Gates gates{0, 3}, cell{3, 1};
        return [this, d, x = inputs(d, gates, true), x_cell = inputs(d, cell, true), r = turned(recurrence_at, d, gates),
                r_cell = turned(recurrence_at, d, cell)](size_t at, const Step& before) {
            const ValueId sums = add(ops::Add, {x[at], add(ops::MatMul, {before.hidden, r})});
            const Values open = split(add(activation(d, 0), {sums}), 1, 3, hidden_);
            const ValueId fresh = add(activation(d, 1), {add(ops::Add, {x_cell[at], add(ops::MatMul, {before.hidden, r_cell})})});
            const ValueId next = add(ops::Add, {add(ops::Mul, {open[2], before.cell}), add(ops::Mul, {open[0], fresh})});
            return Step{add(ops::Mul, {open[1], add(activation(d, 2), {next})}), next};
        };
    }

    // Gates update and reset in one, and the hidden one, whose product the reset stands before or behind.
    Walk gru(int64_t d) {
        const Gates gates{0, 2}, hidden{2, 1};
        const bool behind = view_.integer("linear_before_reset") != 0;
        return [this, d, behind, x = inputs(d, gates, true), x_hidden = inputs(d, hidden, !behind), r = turned(recurrence_at, d, gates),
                r_hidden = turned(recurrence_at, d, hidden), own = bias(d, hidden, false, true)](size_t at, const Step& before) {
            const ValueId sums = add(ops::Add, {x[at], add(ops::MatMul, {before.hidden, r})});
            const Values open = split(add(activation(d, 0), {sums}), 1, 2, hidden_);
            const ValueId state = behind ? add(ops::Mul, {open[1], with_bias(add(ops::MatMul, {before.hidden, r_hidden}), own)})
                                         : add(ops::MatMul, {add(ops::Mul, {open[1], before.hidden}), r_hidden});
            const ValueId fresh = add(activation(d, 1), {add(ops::Add, {x_hidden[at], state})});
            return Step{add(ops::Add, {fresh, add(ops::Mul, {open[0], add(ops::Sub, {before.hidden, fresh})})})};
        };
    }

    // Result `out`: a state of each direction.
    void give(size_t out, const Values& states, int64_t axis) {
        if (!wanted(out)) return;
        Values parts;
        const std::vector<int64_t> dims =
            batch_first_ ? std::vector{batch_, int64_t{1}, hidden_} : std::vector{int64_t{1}, batch_, hidden_};
        for (const ValueId state : states) parts.push_back(shaped(state, dims));
        if (parts.size() == 1) return add_.hand_over(out, parts[0]);
        add_.give(out, ops::Concat, parts, {{"axis", axis}});
    }

    Graph& graph_;
    NodeId id_;
    const Node node_;  // as it was
    NodeView view_;
    Expansion add_;
    bool batch_first_ = false;
    int64_t steps_ = 0, batch_ = 0, directions_ = 0, hidden_ = 0, gates_ = 0;
    std::vector<OpId> activations_;  // of every direction one after the other
};

}  // namespace

int unroll_recurrent_where(Graph& graph, const std::function<bool(const Graph& graph, const Node& node)>& wanted) {
    int changes = 0;
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            if (!part.node(id).is(ops::LSTM, ops::GRU, ops::RNN) || !wanted(part, part.node(id))) continue;
            Unrolling unrolling(part, id);
            if (!unrolling.possible()) continue;
            unrolling.run();
            ++changes;
        }
    });
    if (changes > 0) infer_types(graph);
    return changes;
}

constinit const Pass unroll_recurrent{
    "unroll_recurrent", "LSTM, GRU and RNN of sequences of a known length become the products of each step",
    [](Graph& graph) { return unroll_recurrent_where(graph, [](const Graph&, const Node&) { return true; }); }, 1e-5f, false};

}  // namespace quern
