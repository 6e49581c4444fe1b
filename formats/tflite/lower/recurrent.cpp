// Recurrent operators, and variables that outlive a run.
#include <algorithm>

#include "formats/tflite/lower/sequence.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/recurrent/recurrent.h"

namespace quern::tflite_format {
namespace {

using namespace recurrent_operands;

// ---- LSTM ------------------------------------------------------------------------------------------------------------------

// Operands of a sequence LSTM by their place; gates stand in the order input, forget, cell, output, as `letters` says.
constexpr size_t input_weights = 1, recurrent_weights = 5, peepholes = 9, biases = 12, first_state = 18, operands = 24;
constexpr std::string_view letters = "ifco";
// The same gates in ONNX's order: input, output, forget, cell; peepholes input, output, forget.
constexpr std::array<int64_t, 4> gates{0, 2, 3, 1};
constexpr std::array<std::pair<size_t, int64_t>, 3> peephole_gates{{{0, 0}, {1, 2}, {3, 1}}};

std::string named(std::string_view what, size_t letter) { return fmt::format("{}_{}", what, letters[letter]); }

// TANH or RELU, as it has both activations behind its gates.
std::string lstm_activation(const Lowering& at) {
    if (!at.view().has("activations")) return "TANH";
    const auto names = at.view().texts("activations");
    if (names == std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}) return "TANH";
    if (names == std::vector<std::string>{"Sigmoid", "Relu", "Relu"}) return "RELU";
    throw unsupported("activations other than tanh and relu");
}

// On codes: the gates, of which nothing is said, and what the cells' output is rounded to.
Ints intermediates(Lowering& at, SequenceLowering& sequence) {
    Ints out;
    if (!at.on_codes()) return out;
    for (size_t g = 0; g < letters.size(); ++g) out.push_back(sequence.intermediate(named("gate", g)));
    const auto found = at.node().internal.find("hidden");
    out.push_back(sequence.intermediate("hidden", found == at.node().internal.end() ? *at.in_encoding(hidden_at) : found->second));
    return out;
}

void lstm(Lowering& at) {
    SequenceLowering sequence(at, letters.size());
    if (at.view().integer("input_forget") != 0) throw unsupported("coupled gates");
    sequence.check(std::array{hidden_at, cell_at});
    if (at.on_codes() && (at.has(peepholes_at) || !at.has(bias_at) || !at.has(hidden_at) || !at.has(cell_at)))
        throw unsupported("codes with peepholes, without biases or without encodings of its states");
    const bool coded = at.on_codes() || (sequence.in_codes(weights_at) && sequence.in_codes(recurrence_at) &&
                                         (!at.has(peepholes_at) || sequence.in_codes(peepholes_at)));
    Ints in(operands, -1);
    in[0] = sequence.data();
    for (size_t g = 0; g < letters.size(); ++g) {
        in[input_weights + g] = sequence.part(named("input_to", g), weights_at, gates[g], coded);
        in[recurrent_weights + g] = sequence.part(named("recurrent_to", g), recurrence_at, gates[g], coded);
        in[biases + g] =
            at.on_codes() ? sequence.part(named("bias", g), bias_at, gates[g], true) : sequence.real_bias(named("bias", g), gates[g]);
    }
    for (size_t i = 0; at.has(peepholes_at) && i < peephole_gates.size(); ++i)
        in[peepholes + i] = sequence.part(named("peephole", peephole_gates[i].first), peepholes_at, peephole_gates[i].second, coded);
    in[first_state] = sequence.state("state", hidden_at);
    in[first_state + 1] = sequence.state("cell", cell_at);
    const float clip = at.view().has("cell_clip") ? at.view().real("cell_clip") : 0.0f;
    sequence.write(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, in,
                   {{"fused_activation_function", lstm_activation(at)}, {"cell_clip", clip}, {"proj_clip", 0.0f}},
                   intermediates(at, sequence));
}

// ---- RNN -------------------------------------------------------------------------------------------------------------------

std::string rnn_activation(const Lowering& at) {
    const NodeView& view = at.view();
    const auto names = view.has("activations") ? view.texts("activations") : std::vector<std::string>{"Tanh"};
    if (names.size() == 1 && names[0] == "Tanh") return "TANH";
    if (names.size() == 1 && names[0] == "Relu") return "RELU";
    const auto is = [&](std::string_view attr, float wanted) { return view.has(attr) && view.reals(attr) == std::vector<float>{wanted}; };
    if (names.size() == 1 && names[0] == "Affine" && is("activation_alpha", 1) && is("activation_beta", 0)) return "NONE";
    throw unsupported("activations other than none, tanh and relu");
}

void rnn(Lowering& at) {
    SequenceLowering sequence(at, 1);
    sequence.check(std::array{hidden_at});
    const bool coded = sequence.in_codes(weights_at) && sequence.in_codes(recurrence_at);
    const Ints in{sequence.data(), sequence.part("input_weights", weights_at, 0, coded),
                  sequence.part("recurrent_weights", recurrence_at, 0, coded), sequence.real_bias("bias", 0),
                  sequence.state("state", hidden_at)};
    sequence.write(Code::UNIDIRECTIONAL_SEQUENCE_RNN, in, {{"fused_activation_function", rnn_activation(at)}});
}

// ---- variables -------------------------------------------------------------------------------------------------------------

constexpr size_t filters_at = 1, times_at = 2, svdf_state_at = 3, svdf_bias_at = 4;

bool begins_with_zeros(const Lowering& state) {
    const auto first = state.graph().constant(state.id(0));
    if (!first) return false;
    const auto numbers = state.value(0).enc ? to_floats(dequantize(*first, *state.value(0).enc)) : to_floats(*first);
    return std::all_of(numbers.begin(), numbers.end(), [](float x) { return x == 0; });
}

constexpr size_t position_at = 1;

// What alone reads a State, continues it, and keeps it to itself in the file: an SVDF, a random generator.
NodeId owner_of(Lowering state) {
    const NodeId reader = state.only_reader(state.node().out[0]);
    if (reader == NodeId::none || !begins_with_zeros(state)) return NodeId::none;
    const Node& node = state.graph().node(reader);
    const size_t place = node.is(ops::own::SVDF) ? svdf_state_at : position_at;
    const bool takes = node.is(ops::own::SVDF, ops::own::PhiloxUniform, ops::own::PhiloxNormal);
    const bool continues = takes && node.in.at(place) == state.node().out[0] && node.out.size() > 1 &&
                           state.graph().value(node.out[1]).name == state.view().text("next") &&
                           state.scope().uses[index_of(node.out[1])].size() == 1;
    return continues ? reader : NodeId::none;
}

void need_own_state(Lowering& at, size_t operand) {
    const NodeId made = at.value(operand).producer;
    const bool owned = made != NodeId::none && at.graph().node(made).is(ops::own::State) &&
                       owner_of(Lowering(at.exporter(), at.scope(), made)) != NodeId::none;
    if (!owned) throw unsupported("a state that is not its own");
}

void random_numbers(Lowering& at) {
    need_own_state(at, position_at);
    at.op(at.node().is(ops::own::PhiloxUniform) ? Code::RANDOM_UNIFORM : Code::RANDOM_STANDARD_NORMAL, {at.in_as_i32(0)}, {at.out()},
          {{"seed", at.view().integer("seed")}, {"seed2", at.view().integer("seed2")}});
}

void svdf(Lowering& at) {
    need_own_state(at, svdf_state_at);
    if (!at.constant(filters_at) || !at.constant(times_at)) throw unsupported("its filters are not constant");
    const auto is_byte = [&](size_t i) { return at.value(i).enc && at.value(i).enc->storage == DType::i8 && at.value(i).enc->symmetric(); };
    const bool coded = !at.on_codes() && is_byte(filters_at) && is_byte(times_at);
    const auto filter = [&](size_t i) { return coded ? at.exporter().tensor(at.scope(), at.id(i)) : at.in(i); };
    const Node& begins = at.graph().node(at.value(svdf_state_at).producer);
    FileTensor state = tensor_of(at.graph().value(begins.in[0]).name, at.type(svdf_state_at), at.value(svdf_state_at).enc);
    state.variable = true;
    const Ints in{at.in(0), filter(filters_at), filter(times_at), at.has(svdf_bias_at) ? at.in(svdf_bias_at) : -1,
                  at.exporter().add_tensor(at.scope(), std::move(state))};
    // Codes are cut off at the ends of their range, which stand for the activation that LiteRT asks for.
    const std::string activation = at.on_codes() ? "RELU" : "NONE";
    Attrs options{{"rank", at.view().integer("rank")}, {"fused_activation_function", activation}};
    if (at.node().attrs.contains(asymmetric_key)) options[asymmetric_key] = int64_t{1};
    if (!at.on_codes()) options = at.activated(std::move(options));
    at.op(Code::SVDF, in, {at.out()}, options);
}

// Any other State lies behind a handle, which a first call fills.
void state(Lowering& at) {
    if (owner_of(at) != NodeId::none) return;
    Exporter& exporter = at.exporter();
    const auto first = at.graph().constant(at.id(0));
    if (!first) throw unsupported("a state that begins with what is computed");
    if (at.scope().subgraph != 0) throw unsupported("a state in a body");
    const std::string& name = at.graph().value(at.node().out[0]).name;
    const ValueId next = at.graph().find(at.view().text("next"));
    if (next == ValueId::none) throw unsupported("what comes next is not computed");
    if (at.graph().value(next).enc != at.value(0).enc) throw unsupported("a state that changes its encoding");
    const auto handle = [&](ExportScope& scope) {
        FileTensor tensor;
        tensor.name = name + "/handle";
        tensor.type = Element::RESOURCE;
        const int64_t made = exporter.add_tensor(scope, std::move(tensor));
        exporter.add_operator(scope, Code::VAR_HANDLE, {}, {made}, {{"container", std::string()}, {"shared_name", name}});
        return made;
    };
    const Graph nothing;
    ExportScope call = exporter.open_body(name + "/first", nothing);
    const int64_t there = handle(call);
    exporter.add_operator(call, Code::ASSIGN_VARIABLE, {there, exporter.add_constant(call, name + "/zero", *first, at.value(0).enc)}, {});
    at.op(Code::CALL_ONCE, {}, {}, {{"init_subgraph_index", static_cast<int64_t>(call.subgraph)}});
    const int64_t here = handle(at.scope());
    at.op(Code::READ_VARIABLE, {here}, {exporter.tensor(at.scope(), at.node().out[0])});
    at.scope().assigned.emplace_back(here, next);
}

constexpr std::array recurrent_table{
    LowerRow{ops::LSTM, lstm},
    LowerRow{ops::own::PhiloxNormal, random_numbers},
    LowerRow{ops::own::PhiloxUniform, random_numbers},
    LowerRow{ops::RNN, rnn},
    LowerRow{ops::own::SVDF, svdf},
    LowerRow{ops::own::State, state},
};

}  // namespace

std::span<const LowerRow> lower_recurrent_rows() { return recurrent_table; }

}  // namespace quern::tflite_format
