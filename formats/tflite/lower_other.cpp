// Control flow and recurrent operators.
#include <algorithm>

#include "formats/tflite/lower.h"

namespace quern::tflite_format {
namespace {

// Both branches take every value that one of them sees from outside.
void if_else(Lowering& at) {
    std::vector<ValueId> seen;
    for (const Graph& body : at.node().bodies)
        for (const Graph::Capture& capture : body.captures)
            if (std::find(seen.begin(), seen.end(), capture.outer) == seen.end()) seen.push_back(capture.outer);
    Ints in{at.in(0)}, out;
    for (const ValueId id : seen) in.push_back(at.exporter().tensor(at.scope(), id));
    for (const ValueId id : at.node().out) out.push_back(at.exporter().tensor(at.scope(), id));
    Attrs options;
    for (size_t b = 0; b < at.node().bodies.size(); ++b) {
        const bool then = at.node().body_names[b] == "then_branch";
        options[then ? "then_subgraph_index" : "else_subgraph_index"] = at.exporter().add_body(at.node().bodies[b], seen, at.graph());
    }
    at.op(Code::IF, in, out, options);
}

// Part `gate` of constant weights that hold four gates one after the other: [1, 4 * units, ...] or, of a bias, [1, 8 * units].
Tensor gate_of(const Tensor& all, int64_t gate, int64_t units, Dims dims) {
    const size_t each = all.data.size() / static_cast<size_t>(all.dims[1]) * static_cast<size_t>(units);
    return {all.dtype, std::move(dims), all.data.slice(static_cast<size_t>(gate) * each, each)};
}

// ONNX's gates stand as input, output, forget, cell; the operator's as input, forget, cell, output.
constexpr std::array<int64_t, 4> gates{0, 2, 3, 1};

// One direction, TANH inside; the state is a variable that begins with 0.
void lstm(Lowering& at) {
    const NodeView& view = at.view();
    if (at.on_codes() || view.text("direction") != "forward" || view.integer("input_forget") != 0 || view.has("activations"))
        throw unsupported("other than one plain forward layer on real numbers");
    for (size_t i = 4; i < 7; ++i)
        if (const auto state = at.reals(i);
            at.has(i) &&
            (i == 4 || !state || std::any_of(state->view<float>().begin(), state->view<float>().end(), [](float x) { return x != 0; })))
            throw unsupported("lengths or a first state");
    if (at.has(7)) throw unsupported("peepholes");
    for (size_t i = 1; i < at.node().out.size(); ++i)
        if (at.node().out[i] != ValueId::none && !at.scope().uses[index_of(at.node().out[i])].empty())
            throw unsupported("its last state is wanted");
    const auto w = at.reals(1), r = at.reals(2), b = at.reals(3);
    if (!w || !r) throw unsupported("its weights are not constant");
    const int64_t units = view.integer("hidden_size"), inputs = w->dims[2];
    const bool batch_first = view.integer("layout") == 1;
    const int64_t batch = at.dim(0, batch_first ? 0 : 1);
    if (batch < 0) throw unsupported("a batch that is not fixed");
    Ints in(24, -1);
    in[0] = at.in(0);
    for (size_t g = 0; g < 4; ++g) {
        const std::string name(1, "ifco"[g]);
        in[1 + g] = at.constant("input_to_" + name, gate_of(*w, gates[g], units, {units, inputs}));
        in[5 + g] = at.constant("recurrent_to_" + name, gate_of(*r, gates[g], units, {units, units}));
        std::vector<float> bias(static_cast<size_t>(units), 0.0f);
        for (size_t k = 0; b && k < bias.size(); ++k) {
            const auto place = static_cast<size_t>(gates[g] * units) + k;
            bias[k] = b->view<float>()[place] + b->view<float>()[place + static_cast<size_t>(4 * units)];
        }
        in[12 + g] = at.constant("bias_" + name, from_floats(DType::f32, {units}, bias));
    }
    for (size_t s = 18; s < 20; ++s) {
        in[s] = at.temp(s == 18 ? "state" : "cell", DType::f32, {batch, units});
        at.exporter().subgraph(at.scope()).tensors[static_cast<size_t>(in[s])].variable = true;
    }
    const int64_t time = at.dim(0, batch_first ? 1 : 0);
    const int64_t made = at.temp("sequence", DType::f32, batch_first ? Ints{batch, time, units} : Ints{time, batch, units});
    at.op(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, in, {made},
          {{"fused_activation_function", std::string("TANH")},
           {"cell_clip", view.has("clip") ? view.real("clip") : 0.0f},
           {"proj_clip", 0.0f},
           {"time_major", int64_t{!batch_first}}});
    const Ints shape = at.out_shape();
    at.op(Code::RESHAPE, {made, at.numbers("shape", shape)}, {at.out()}, {{"new_shape", shape}});
}

constexpr std::array rows{
    LowerRow{"If", if_else},
    LowerRow{"LSTM", lstm},
};

}  // namespace

std::span<const LowerRow> lower_other_rows() { return rows; }

}  // namespace quern::tflite_format
