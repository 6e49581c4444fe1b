// Loops that are an LSTM or a GRU, as TensorFlow's converter makes them of Keras' layers: counters up to a fixed number of rounds, a
// sequence of which each round takes its element, states, and a list that each round puts its result into.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/linear_form.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// ---- the loop ------------------------------------------------------------------------------------------------------------------------

// A Loop whose carried values are known by what they are for; places count from the first carried value.
struct Rounds {
    int64_t count = 0;
    std::vector<size_t> counters;
    std::optional<size_t> sequence, list;
    std::vector<size_t> states;
    ValueId element = ValueId::none;  // of the sequence, in the body
    bool whole = false;               // the list holds every round's result, else the last one's
};

class LoopReader {
   public:
    LoopReader(const Graph& graph, const Node& loop) : graph_(graph), loop_(loop), body_(loop.bodies.at(0)) {}

    std::optional<Rounds> run() {
        if (loop_.in.size() < 3 || loop_.in[0] != ValueId::none || body_.outputs.size() != loop_.in.size() - 1) return std::nullopt;
        for (size_t k = 0; k + 2 < loop_.in.size(); ++k)
            if (counts(k)) rounds_.counters.push_back(k);
        if (!find_count() || !find_sequence()) return std::nullopt;
        for (size_t k = 0; k + 2 < loop_.in.size(); ++k) {
            if (is_counter(k) || k == rounds_.sequence) continue;
            if (is_list(k))
                rounds_.list = k;
            else
                rounds_.states.push_back(k);
        }
        return rounds_;
    }

   private:
    ValueId inside(size_t k) const { return body_.inputs[2 + k]; }
    ValueId next(size_t k) const { return body_.outputs[1 + k]; }
    bool is_counter(size_t k) const { return std::find(rounds_.counters.begin(), rounds_.counters.end(), k) != rounds_.counters.end(); }

    std::optional<int64_t> whole_number(const Graph& graph, ValueId id) const {
        const auto tensor = id == ValueId::none ? std::nullopt : graph.constant(id);
        return tensor && tensor->count() == 1 && is_integer(tensor->dtype) ? std::optional(to_ints(*tensor)[0]) : std::nullopt;
    }

    // From 0 in steps of 1.
    bool counts(size_t k) const {
        const Node* add = made_by(body_, next(k), ops::Add);
        if (!add || whole_number(graph_, loop_.in[2 + k]) != 0) return false;
        return (add->in[0] == inside(k) && whole_number(body_, add->in[1]) == 1) ||
               (add->in[1] == inside(k) && whole_number(body_, add->in[0]) == 1);
    }

    // Every comparison of a counter has the same bound.
    bool bounded(ValueId condition) {
        if (const Node* both = made_by(body_, condition, ops::And)) return bounded(both->in[0]) && bounded(both->in[1]);
        const Node* less = made_by(body_, condition, ops::Less);
        const auto bound = less ? whole_number(body_, less->in[1]) : std::nullopt;
        const bool counted =
            less && std::any_of(rounds_.counters.begin(), rounds_.counters.end(), [&](size_t k) { return next(k) == less->in[0]; });
        if (!counted || !bound || (rounds_.count != 0 && rounds_.count != *bound)) return false;
        rounds_.count = *bound;
        return true;
    }
    bool find_count() { return bounded(body_.outputs[0]) && rounds_.count > 0; }

    // Each round takes the element at its own number.
    bool find_sequence() {
        for (size_t k = 0; k + 2 < loop_.in.size(); ++k) {
            if (next(k) != inside(k)) continue;
            const auto dims = body_.value(inside(k)).type.shape.concrete();
            for (const Use& use : body_.uses(inside(k))) {
                if (use.node == NodeId::none) continue;
                const Node& gather = body_.node(use.node);
                const bool by_round =
                    gather.is(ops::Gather) && use.index == 0 && NodeView(gather).integer("axis") == 0 && at_round(gather.in[1]);
                if (!by_round || rounds_.sequence || !dims || dims->size() != 3 || (*dims)[0] != rounds_.count) return false;
                rounds_.sequence = k;
                rounds_.element = gather.out[0];
            }
        }
        return rounds_.sequence.has_value();
    }

    bool at_round(ValueId id) const {
        const ValueId number = without_reshapes(body_, without_cast(id));
        return std::any_of(rounds_.counters.begin(), rounds_.counters.end(), [&](size_t k) { return inside(k) == number; });
    }
    ValueId without_cast(ValueId id) const {
        const Node* cast = made_by(body_, id, ops::Cast);
        return cast ? cast->in[0] : id;
    }

    // A list of one element becomes the result, one of all rounds has it put between what is before and what is behind.
    bool is_list(size_t k) {
        const auto dims = body_.value(inside(k)).type.shape.concrete();
        if (!dims || dims->size() != 3) return false;
        if ((*dims)[0] == 1 && made_by(body_, next(k), ops::Reshape) && body_.uses(inside(k)).empty()) return true;
        const Node* joined = made_by(body_, next(k), ops::Concat);
        if (!joined || joined->in.size() != 3 || NodeView(*joined).integer("axis") != 0 || (*dims)[0] != rounds_.count) return false;
        const Node *before = made_by(body_, joined->in[0], ops::Slice), *behind = made_by(body_, joined->in[2], ops::Slice);
        const bool both = before && behind && before->in[0] == inside(k) && behind->in[0] == inside(k);
        rounds_.whole = both && depends_on_round(before->in[2]) && depends_on_round(behind->in[1]);
        return rounds_.whole;
    }

    // Is a bound computed from the number of the round or of the next?
    bool depends_on_round(ValueId id, int depth = 0) const {
        if (id == ValueId::none || depth > 12) return false;
        for (const size_t k : rounds_.counters)
            if (id == inside(k) || id == next(k)) return true;
        if (body_.value(id).producer == NodeId::none) return false;
        const Node& node = body_.node(body_.value(id).producer);
        return std::any_of(node.in.begin(), node.in.end(), [&](ValueId in) { return depends_on_round(in, depth + 1); });
    }

    const Graph& graph_;
    const Node& loop_;
    const Graph& body_;
    Rounds rounds_;
};

// ---- the cell
// ----------------------------------------------------------------------------------------------------------------------------

struct Cell {
    OpId op;
    std::vector<LinearForm> gates;   // in ONNX's order
    std::vector<size_t> states;      // hidden, cell: places among the carried values
    std::vector<float> hidden_bias;  // GRU: of the part of the state alone
    bool after = false;              // GRU: the reset is applied after the product
};

class CellReader {
   public:
    CellReader(const Graph& body, const Rounds& rounds) : body_(body), rounds_(rounds) {
        x_length_ = body.value(rounds.element).type.shape.dims.back().value;
    }

    std::optional<Cell> run() const {
        if (rounds_.states.size() == 1) return gru(rounds_.states[0]);
        if (rounds_.states.size() != 2) return std::nullopt;
        if (auto found = lstm(rounds_.states[0], rounds_.states[1])) return found;
        return lstm(rounds_.states[1], rounds_.states[0]);
    }

   private:
    using Pair = std::optional<std::array<ValueId, 2>>;

    ValueId inside(size_t k) const { return body_.inputs[2 + k]; }
    ValueId next(size_t k) const { return body_.outputs[1 + k]; }
    int64_t units(size_t k) const { return body_.value(inside(k)).type.shape.dims.back().value; }
    LinearForms forms(size_t k) const { return {body_, rounds_.element, x_length_, inside(k), units(k)}; }

    // Both operands, the one that `first` makes in front.
    Pair pair(ValueId id, OpId op, OpId first) const {
        const Node* node = made_by(body_, id, op);
        if (!node) return std::nullopt;
        for (const size_t i : {size_t{0}, size_t{1}})
            if (made_by(body_, node->in[i], first)) return std::array{node->in[i], node->in[1 - i]};
        return std::nullopt;
    }
    ValueId operand(ValueId id, OpId op) const {
        const Node* node = made_by(body_, id, op);
        return node ? node->in[0] : ValueId::none;
    }

    // h = sigmoid(o) tanh(c), c = sigmoid(f) c + sigmoid(i) tanh(g)
    std::optional<Cell> lstm(size_t h, size_t c) const {
        const auto out = pair(next(h), ops::Mul, ops::Tanh);
        const Node* sum = made_by(body_, next(c), ops::Add);
        if (!out || !sum || operand((*out)[0], ops::Tanh) != next(c)) return std::nullopt;
        for (const size_t i : {size_t{0}, size_t{1}}) {
            const auto kept = pair(sum->in[i], ops::Mul, ops::Sigmoid), added = pair(sum->in[1 - i], ops::Mul, ops::Tanh);
            if (!kept || !added || (*kept)[1] != inside(c)) continue;
            Cell cell{ops::LSTM, {}, {h, c}, {}, false};
            for (const ValueId gate : {operand((*added)[1], ops::Sigmoid), operand((*out)[1], ops::Sigmoid),
                                       operand((*kept)[0], ops::Sigmoid), operand((*added)[0], ops::Tanh)})
                if (!take(cell, forms(h).of(gate), units(h))) return std::nullopt;
            return cell;
        }
        return std::nullopt;
    }

    static bool take(Cell& cell, std::optional<LinearForm> gate, int64_t units) {
        if (!gate || gate->n != units) return false;
        cell.gates.push_back(std::move(*gate));
        return true;
    }

    // h = z h + (1 - z) tanh(n), where n has the state times a reset, before or behind its product.
    std::optional<Cell> gru(size_t h) const {
        const Node* sum = made_by(body_, next(h), ops::Add);
        if (!sum) return std::nullopt;
        for (const size_t i : {size_t{0}, size_t{1}}) {
            const auto kept = pair(sum->in[i], ops::Mul, ops::Sigmoid), added = pair(sum->in[1 - i], ops::Mul, ops::Tanh);
            if (!kept || !added || (*kept)[1] != inside(h) || !is_rest((*added)[1], (*kept)[0])) continue;
            Cell cell{ops::GRU, {}, {h}, {}, false};
            if (!take(cell, forms(h).of(operand((*kept)[0], ops::Sigmoid)), units(h))) return std::nullopt;
            return candidate(cell, operand((*added)[0], ops::Tanh), h) ? std::optional(cell) : std::nullopt;
        }
        return std::nullopt;
    }

    bool is_rest(ValueId id, ValueId gate) const {
        const Node* sub = made_by(body_, id, ops::Sub);
        return sub && sub->in[1] == gate && scalar_of(body_, sub->in[0]) == 1.0f;
    }

    void summands(ValueId id, std::vector<ValueId>& out) const {
        const Node* add = made_by(body_, id, ops::Add);
        if (!add) return out.push_back(id);
        summands(add->in[0], out);
        summands(add->in[1], out);
    }

    bool candidate(Cell& cell, ValueId id, size_t h) const {
        std::vector<ValueId> parts;
        summands(id, parts);
        LinearForm form{{}, {}, {}, units(h)};
        std::optional<LinearForm> reset;
        for (const ValueId part : parts) {
            if (const auto gated = pair(part, ops::Mul, ops::Sigmoid); gated && !reset) {  // after the product
                const auto state = forms(h).of((*gated)[1]);
                reset = forms(h).of(operand((*gated)[0], ops::Sigmoid));
                if (!reset || !state || !state->x.empty() || state->h.empty() || state->n != form.n) return false;
                cell.after = true;
                cell.hidden_bias = state->bias;
                form.h = state->h;
                continue;
            }
            auto linear = forms(h).of(part);
            if (!linear && !reset) linear = of_reset_state(part, h, reset);
            if (!linear || linear->n != form.n || (!linear->h.empty() && !form.h.empty())) return false;
            if (form.x.empty())
                form.x = linear->x;
            else if (!linear->x.empty())
                return false;
            if (form.h.empty()) form.h = linear->h;
            if (form.bias.empty()) form.bias.assign(static_cast<size_t>(form.n), 0.0f);
            for (size_t i = 0; i < linear->bias.size(); ++i) form.bias[i] += linear->bias[i];
        }
        return reset && !form.h.empty() && take(cell, reset, units(h)) && take(cell, form, units(h));
    }

    // U (r h)
    std::optional<LinearForm> of_reset_state(ValueId id, size_t h, std::optional<LinearForm>& reset) const {
        const ValueId product = without_reshapes(body_, id);
        const Node *gemm = made_by(body_, product, ops::Gemm), *matmul = made_by(body_, product, ops::MatMul);
        const Node* node = gemm ? gemm : matmul;
        const ValueId data = node ? without_reshapes(body_, node->in[0]) : ValueId::none;
        const auto gated = data == ValueId::none ? std::nullopt : pair(data, ops::Mul, ops::Sigmoid);
        if (!gated || (*gated)[1] != inside(h)) return std::nullopt;
        reset = forms(h).of(operand((*gated)[0], ops::Sigmoid));
        return LinearForms(body_, ValueId::none, x_length_, data, units(h)).of(id);
    }

    const Graph& body_;
    const Rounds& rounds_;
    int64_t x_length_ = 0;
};

// ---- the operator
// ----------------------------------------------------------------------------------------------------------------------------

// Rows of all gates one after the other.
ValueId stacked(Graph& graph, const Cell& cell, const std::string& name, int64_t columns, std::vector<float> LinearForm::*part) {
    std::vector<float> all;
    for (const LinearForm& gate : cell.gates) {
        const std::vector<float>& rows = gate.*part;
        all.insert(all.end(), rows.begin(), rows.end());
        all.resize(all.size() + static_cast<size_t>(gate.n * columns) - rows.size(), 0.0f);
    }
    const int64_t count = static_cast<int64_t>(cell.gates.size()) * cell.gates[0].n;
    return graph.add_constant(name, from_floats(DType::f32, {1, count, columns}, all));
}

ValueId biases(Graph& graph, const Cell& cell, const std::string& name) {
    std::vector<float> all;
    for (const LinearForm& gate : cell.gates) {
        all.insert(all.end(), gate.bias.begin(), gate.bias.end());
        all.resize(all.size() + static_cast<size_t>(gate.n) - gate.bias.size(), 0.0f);
    }
    const size_t half = all.size();
    all.resize(2 * half, 0.0f);
    std::copy(cell.hidden_bias.begin(), cell.hidden_bias.end(), all.end() - cell.gates[0].n);
    return graph.add_constant(name, from_floats(DType::f32, {1, static_cast<int64_t>(2 * half)}, all));
}

class Fusion {
   public:
    Fusion(Graph& graph, NodeId id, const Rounds& rounds, const Cell& cell)
        : graph_(graph),
          id_(id),
          rounds_(rounds),
          cell_(cell),
          name_(graph.node(id).name),
          loop_(graph.node(id).in),
          out_(graph.node(id).out) {}

    void run() {
        const ValueId x = loop_[2 + *rounds_.sequence];
        const int64_t in = graph_.value(x).type.shape.dims.back().value, units = cell_.gates[0].n;
        std::vector<ValueId> operands{x, stacked(graph_, cell_, name_ + "/weights", in, &LinearForm::x),
                                      stacked(graph_, cell_, name_ + "/recurrence", units, &LinearForm::h),
                                      biases(graph_, cell_, name_ + "/biases")};
        add_states(operands);
        std::vector<ValueId> results{fresh("sequence"), fresh("last")};
        if (cell_.op == ops::LSTM) results.push_back(fresh("cell"));
        Attrs attrs{{"hidden_size", units}};
        if (cell_.after) attrs["linear_before_reset"] = int64_t{1};
        for (const ValueId id : out_)
            if (id != ValueId::none) graph_.value(id).producer = NodeId::none;
        graph_.add_node(need_op(cell_.op), graph_.unique_node_name(name_ + "/" + std::string(cell_.op.name)), operands, results, attrs,
                        id_);
        put_hidden(results[0]);
        if (cell_.op == ops::LSTM && is_wanted(cell_.states[1]))
            add(ops::Squeeze, {results[2], numbers("direction", 0)}, out_[cell_.states[1]]);
        Node& loop = graph_.node(id_);
        std::fill(loop.out.begin(), loop.out.end(), ValueId::none);
        graph_.erase(id_);
    }

   private:
    ValueId fresh(std::string_view what) { return graph_.add_value(graph_.unique_name(fmt::format("{}/{}", name_, what)), {}); }

    void add_states(std::vector<ValueId>& operands) {
        std::vector<ValueId> first;
        for (const size_t k : cell_.states) first.push_back(loop_[2 + k]);
        if (std::all_of(first.begin(), first.end(), [&](ValueId id) { return is_plain_zero(graph_, id); })) return;
        operands.push_back(ValueId::none);  // lengths
        for (const ValueId id : first) {
            operands.push_back(fresh("first"));
            add(ops::Unsqueeze, {id, numbers("direction", 0)}, operands.back());
        }
    }

    bool is_wanted(size_t k) const { return out_[k] != ValueId::none && !graph_.uses(out_[k]).empty(); }

    void add(OpId op, std::vector<ValueId> in, ValueId out) {
        graph_.add_node(need_op(op), graph_.unique_node_name(graph_.value(out).name), std::move(in), {out}, {}, id_);
    }
    ValueId numbers(std::string_view what, int64_t item) {
        return graph_.add_constant(fmt::format("{}/{}", name_, what), Tensor::vector<int64_t>(std::array{item}));
    }

    // All results, the last of them in a list, and that alone, as far as they are wanted.
    void put_hidden(ValueId all) {
        const bool list = rounds_.list && is_wanted(*rounds_.list), last = is_wanted(cell_.states[0]);
        if (!list && !last) return;
        const ValueId sequence = list && rounds_.whole ? out_[*rounds_.list] : fresh("results");
        add(ops::Squeeze, {all, numbers("direction", 1)}, sequence);
        if (!last && rounds_.whole) return;
        const ValueId end = list && !rounds_.whole ? out_[*rounds_.list] : fresh("end");
        add(ops::Slice, {sequence, numbers("from", -1), numbers("to", INT64_MAX), numbers("axis", 0)}, end);
        if (last) add(ops::Squeeze, {end, numbers("round", 0)}, out_[cell_.states[0]]);
    }

    Graph& graph_;
    NodeId id_;
    const Rounds& rounds_;
    const Cell& cell_;
    std::string name_;
    std::vector<ValueId> loop_, out_;
};

// Are a round's element and its states rows of known length?
bool has_rows(const Graph& body, const Rounds& rounds) {
    const auto is_rows = [&](ValueId id) {
        const auto dims = body.value(id).type.shape.concrete();
        return dims && dims->size() == 2 && count_of(*dims) > 0;
    };
    return is_rows(rounds.element) &&
           std::all_of(rounds.states.begin(), rounds.states.end(), [&](size_t k) { return is_rows(body.inputs[2 + k]); });
}

bool fuse(Graph& graph, NodeId id, OpId op) {
    const Node& loop = graph.node(id);
    if (loop.bodies.size() != 1 || loop.out.size() + 2 != loop.in.size()) return false;
    const auto rounds = LoopReader(graph, loop).run();
    if (!rounds || !loop.bodies[0].captures.empty() || !has_rows(loop.bodies[0], *rounds)) return false;
    const auto unread = [&](size_t k) { return loop.out[k] == ValueId::none || graph.uses(loop.out[k]).empty(); };
    if (!std::all_of(rounds->counters.begin(), rounds->counters.end(), unread) || !unread(*rounds->sequence)) return false;
    const auto cell = CellReader(loop.bodies[0], *rounds).run();
    if (!cell || cell->op != op) return false;
    const Graph& body = loop.bodies[0];
    if (rounds->list) {
        const ValueId list = body.outputs[1 + *rounds->list];
        const Node* joined = made_by(body, list, ops::Concat);
        if (without_reshapes(body, joined ? joined->in[1] : list) != body.outputs[1 + cell->states[0]]) return false;
    }
    Fusion(graph, id, *rounds, *cell).run();
    return true;
}

template <const OpId& op>
int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order()))
        if (!graph.node(id).erased && graph.node(id).is(ops::Loop) && fuse(graph, id, op)) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_lstm{"fuse_lstm", "recognise LSTM in loops over the elements of a sequence",
                               [](Graph& graph) { return on_every_graph(graph, fuse_in<ops::LSTM>); }, 1e-4f, false};
constinit const Pass fuse_gru{"fuse_gru", "recognise GRU in loops over the elements of a sequence",
                              [](Graph& graph) { return on_every_graph(graph, fuse_in<ops::GRU>); }, 1e-4f, false};

}  // namespace quern
