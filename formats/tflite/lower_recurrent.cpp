// Recurrent operators.
#include <algorithm>
#include <set>

#include "formats/tflite/lower.h"

namespace quern::tflite_format {
namespace {

// Operands of a sequence LSTM by their place; gates stand in the order input, forget, cell, output, as `letters` says.
constexpr size_t input_weights = 1, recurrent_weights = 5, peepholes = 9, biases = 12, first_state = 18, operands = 24;
constexpr std::string_view letters = "ifco";
// The same gates in ONNX's order: input, output, forget, cell; peepholes input, output, forget.
constexpr std::array<int64_t, 4> gates{0, 2, 3, 1};
constexpr std::array<std::pair<size_t, int64_t>, 3> peephole_gates{{{0, 0}, {1, 2}, {3, 1}}};
// And ONNX's operands.
constexpr size_t w_at = 1, r_at = 2, b_at = 3, lengths_at = 4, h_at = 5, c_at = 6, p_at = 7;

class SequenceLstm {
   public:
    explicit SequenceLstm(Lowering& at)
        : at_(at), units_(at.view().integer("hidden_size")), batch_first_(at.view().integer("layout") == 1) {
        check();
    }

    void run() {
        Ints in(operands, -1);
        in[0] = at_.in(0);
        for (size_t g = 0; g < 4; ++g) {
            in[input_weights + g] = part("input_to_", w_at, g, gates[g]);
            in[recurrent_weights + g] = part("recurrent_to_", r_at, g, gates[g]);
            in[biases + g] = at_.on_codes() ? part("bias_", b_at, g, gates[g]) : real_bias(g);
        }
        for (size_t i = 0; at_.has(p_at) && i < peephole_gates.size(); ++i)
            in[peepholes + i] = part("peephole_", p_at, peephole_gates[i].first, peephole_gates[i].second);
        const int64_t batch = at_.dim(0, batch_first_ ? 0 : 1);
        if (batch < 0) throw unsupported("a batch that is not fixed");
        in[first_state] = state("state", h_at, batch);
        in[first_state + 1] = state("cell", c_at, batch);
        write(std::move(in), batch);
    }

   private:
    void check() const {
        const NodeView& view = at_.view();
        if (view.text("direction") != "forward" || view.integer("input_forget") != 0 || view.has("activations") || view.has("clip"))
            throw unsupported("other than one plain forward layer");
        if (at_.has(lengths_at)) throw unsupported("lengths");
        for (const size_t i : {h_at, c_at}) {
            if (!at_.has(i)) continue;
            const auto state = at_.reals(i);
            if (!state || std::any_of(state->view<float>().begin(), state->view<float>().end(), [](float x) { return x != 0; }))
                throw unsupported("a first state");
        }
        for (size_t i = 1; i < at_.node().out.size(); ++i)
            if (at_.node().out[i] != ValueId::none && !at_.scope().uses[index_of(at_.node().out[i])].empty())
                throw unsupported("its last state is wanted");
        if (!at_.constant(w_at) || !at_.constant(r_at)) throw unsupported("its weights are not constant");
        if (!at_.on_codes()) return;
        if (at_.has(p_at) || !at_.has(b_at) || !at_.has(h_at) || !at_.has(c_at))
            throw unsupported("codes with peepholes, without biases or without encodings of its states");
    }

    // Part `gate` of a constant operand that holds all gates one after the other along axis 1, as a tensor of its own.
    int64_t part(std::string_view what, size_t operand, size_t letter, int64_t gate) {
        const bool coded = at_.on_codes();
        const Tensor all = coded ? *at_.graph().constant(at_.id(operand)) : *at_.reals(operand);
        const size_t each = all.data.size() / static_cast<size_t>(all.dims[1]) * static_cast<size_t>(units_);
        Dims dims(all.dims.begin() + 1, all.dims.end());
        dims[0] = units_;
        const Tensor contents{all.dtype, std::move(dims), all.data.slice(static_cast<size_t>(gate) * each, each)};
        std::optional<Encoding> encoding;
        if (coded) encoding = encoding_of(*at_.value(operand).enc, gate);
        return at_.constant(std::string(what) + letters[letter], contents, encoding);
    }

    // The one scale of a gate.
    Encoding encoding_of(const Encoding& all, int64_t gate) const {
        if (!all.symmetric()) throw unsupported("weights with zero points");
        const auto scales = to_floats(all.scale);
        if (all.axis < 0) return make_encoding(all.storage, Tensor::scalar(scales.at(0)), {});
        if (all.axis != 1) throw unsupported("weights with scales along axis {}", all.axis);
        const auto from = scales.begin() + gate * units_;
        if (std::any_of(from, from + units_, [&](float scale) { return scale != *from; })) throw unsupported("several scales in one gate");
        return make_encoding(all.storage, Tensor::scalar(*from), {});
    }

    // ONNX adds a bias to the input and one to the state.
    int64_t real_bias(size_t g) {
        const auto b = at_.reals(b_at);
        if (at_.has(b_at) && !b) throw unsupported("its biases are not constant");
        std::vector<float> bias(static_cast<size_t>(units_), 0.0f);
        for (size_t k = 0; b && k < bias.size(); ++k) {
            const auto place = static_cast<size_t>(gates[g] * units_) + k;
            bias[k] = b->view<float>()[place] + b->view<float>()[place + static_cast<size_t>(4 * units_)];
        }
        return at_.constant(std::string("bias_") + letters[g], from_floats(DType::f32, {units_}, bias));
    }

    // The state is a variable, which begins with 0.
    int64_t state(std::string_view what, size_t operand, int64_t batch) {
        const int64_t made = at_.temp(what, DType::f32, {batch, units_}, at_.in_encoding(operand));
        at_.exporter().subgraph(at_.scope()).tensors[static_cast<size_t>(made)].variable = true;
        return made;
    }

    // On codes: the gates, of which nothing is said, and what the cells' output is rounded to.
    Ints intermediates() {
        Ints out;
        if (!at_.on_codes()) return out;
        for (const char letter : letters) out.push_back(at_.temp(std::string("gate_") + letter, DType::f32, {0}));
        const auto found = at_.node().internal.find("hidden");
        out.push_back(at_.temp("hidden", DType::f32, {0}, found == at_.node().internal.end() ? *at_.in_encoding(h_at) : found->second));
        return out;
    }

    // What takes the dimension of directions out, or none: the operator does not have it.
    NodeId squeeze() const {
        const NodeId reader = at_.only_reader(at_.node().out[0]);
        if (reader == NodeId::none) return reader;
        const Node& node = at_.graph().node(reader);
        const Value &made = at_.graph().value(at_.node().out[0]), &out = at_.graph().value(node.out[0]);
        const bool same = made.enc == out.enc && at_.on_codes() == made.enc.has_value();
        if (node.op->name != "Squeeze" || !node.op->domain.empty() || !same || out.type.shape.rank() != 3) return NodeId::none;
        const Lowering view(at_.exporter(), at_.scope(), reader);
        if (view.has(1) ? view.axes(1, 4) != Ints{batch_first_ ? 2 : 1} : made.type.shape.dims[batch_first_ ? 1 : 0] == Dim::of(1))
            return NodeId::none;
        return reader;
    }

    void write(Ints in, int64_t batch) {
        const Attrs options{{"fused_activation_function", std::string("TANH")},
                            {"cell_clip", at_.view().has("cell_clip") ? at_.view().real("cell_clip") : 0.0f},
                            {"proj_clip", 0.0f},
                            {"time_major", int64_t{!batch_first_}}};
        if (const NodeId reader = squeeze(); reader != NodeId::none) {
            at_.done(reader);
            const int64_t out = at_.exporter().tensor(at_.scope(), at_.graph().node(reader).out[0]);
            return at_.op(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, in, {out}, options, intermediates());
        }
        const int64_t time = at_.dim(0, batch_first_ ? 1 : 0);
        const Ints shape = batch_first_ ? Ints{batch, time, units_} : Ints{time, batch, units_};
        const int64_t made = at_.temp("sequence", DType::f32, shape, at_.out_encoding());
        at_.op(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, in, {made}, options, intermediates());
        const Ints whole = at_.out_shape();
        at_.op(Code::RESHAPE, {made, at_.numbers("shape", whole)}, {at_.out()}, {{"new_shape", whole}});
    }

    Lowering& at_;
    int64_t units_;
    bool batch_first_;
};

void lstm(Lowering& at) { SequenceLstm(at).run(); }

constexpr std::array rows{
    LowerRow{"LSTM", lstm},
};

}  // namespace

std::span<const LowerRow> lower_recurrent_rows() { return rows; }

}  // namespace quern::tflite_format
