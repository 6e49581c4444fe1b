// LSTM, GRU and RNN in float32, and LSTM on codes by the profile tflite.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/recurrent/tflite_lstm.h"

namespace quern::cgen {
namespace {

struct RecurrentCase {
    int64_t steps, batch, width, hidden, directions;
    bool batch_first;
    int64_t x_t() const { return batch_first ? width : batch * width; }
    int64_t x_b() const { return batch_first ? steps * width : width; }
    // Y is [steps, directions, batch, hidden], or [batch, steps, directions, hidden].
    int64_t y_t() const { return batch_first ? directions * hidden : directions * batch * hidden; }
    int64_t y_b() const { return batch_first ? steps * directions * hidden : hidden; }
    int64_t y_d() const { return batch_first ? hidden : batch * hidden; }
    // States are [directions, batch, hidden], or [batch, directions, hidden].
    int64_t h_d() const { return batch_first ? hidden : batch * hidden; }
    int64_t h_b() const { return batch_first ? directions * hidden : hidden; }
    int64_t states() const { return directions * batch * hidden; }
};

RecurrentCase recurrent_case(Emit& e) {
    const Dims& x = e.in_dims(0);
    const bool first = e.view.integer("layout") != 0;
    return {x[first ? 1 : 0], x[first ? 0 : 1], x[2], e.in_dims(2)[2], direction_count(e.view), first};
}

void zero_fill(Emit& e, const std::string& to, int64_t count) {
    e.source.need_memory();
    e.f.statement(fmt::format("memset({}, 0, {});", to, count * static_cast<int64_t>(sizeof(float))));
}

// The state's memory, which begins as input `in` or 0 and ends as output `out`.
std::string state(Emit& e, size_t in, size_t out, int64_t count) {
    std::string to = e.wants(out) ? e.real_out(out) : e.f.scratch(DType::f32, count);
    if (!e.has_in(in)) {
        zero_fill(e, to, count);
    } else {
        e.source.need_memory();
        const std::string from = e.real_in(in);
        e.f.statement(fmt::format("memcpy({}, {}, {});", to, from, count * static_cast<int64_t>(sizeof(float))));
    }
    return to;
}

// ---- real numbers --------------------------------------------------------------------------------------------------------------

struct GateFunction {
    GateActivation::Kind kind;
    std::string_view name, value;  // a and b stand for its parameters
    std::string_view needs = {};
};
using Gate = GateActivation::Kind;
constexpr std::array gate_functions{
    GateFunction{Gate::relu, "relu", "u > 0.0f ? u : 0.0f"},
    GateFunction{Gate::tanh, "tanh", "@tanhf@(u)", "tanhf"},
    GateFunction{Gate::sigmoid, "sigmoid", "1.0f / (1.0f + @expf@(-u))", "expf"},
    GateFunction{Gate::affine, "affine", "@a@ * u + @b@"},
    GateFunction{Gate::leaky_relu, "leaky_relu", "u >= 0.0f ? u : @a@ * u"},
    GateFunction{Gate::thresholded_relu, "thresholded_relu", "u > @a@ ? u : 0.0f"},
    GateFunction{Gate::scaled_tanh, "scaled_tanh", "@a@ * @tanhf@(@b@ * u)", "tanhf"},
    GateFunction{Gate::hard_sigmoid, "hard_sigmoid", "@a@ * u + @b@ < 0.0f ? 0.0f : @a@ * u + @b@ > 1.0f ? 1.0f : @a@ * u + @b@"},
    GateFunction{Gate::elu, "elu", "u >= 0.0f ? u : @a@ * @expm1f@(u)", "expm1f"},
    GateFunction{Gate::softsign, "softsign", "u / (1.0f + (u < 0.0f ? -u : u))"},
    GateFunction{Gate::softplus, "softplus", "(u > 0.0f ? u : 0.0f) + @log1pf@(@expf@(u < 0.0f ? u : -u))", "log1pf expf"},
};

// The C function of an activation, "gate_tanh".
std::string gate_function(Emit& e, const GateActivation& activation) {
    const auto found = std::ranges::find(gate_functions, activation.kind, &GateFunction::kind);
    Words words{{"VALUE", std::string(found->value)}, {"a", c_float(activation.alpha)}, {"b", c_float(activation.beta)}};
    e.add_math(words, found->needs);
    std::string variant(found->name);
    for (const auto& [mark, number] : {std::pair("@a@", activation.alpha), std::pair("@b@", activation.beta)})
        if (found->value.find(mark) != std::string_view::npos) variant += "_" + name_part(number);
    return e.source.kernel("gate", words, variant);
}

// LSTM, GRU or RNN: the kernel's name, what its words stand for one direction, the activations by default.
struct Cell {
    std::string_view piece;
    int64_t gates;
    std::vector<std::string_view> words, usual;
    bool hybrid = false;  // int8 weights, x and h rounded on the way in
};

Cell cell_of(std::string_view op) {
    if (op == "LSTM") return {"lstm", 4, {"GATE", "CANDIDATE", "CELL"}, {"Sigmoid", "Tanh", "Tanh"}};
    if (op == "GRU") return {"gru", 3, {"GATE", "CANDIDATE"}, {"Sigmoid", "Tanh"}};
    return {"rnn", 1, {"GATE"}, {"Tanh"}};
}

std::string cell_kernel(Emit& e, const Cell& cell, std::span<const GateActivation> activations) {
    Words words;
    std::string variant;
    for (size_t i = 0; i < cell.words.size(); ++i) {
        words.emplace_back(cell.words[i], gate_function(e, activations[i]));
        variant += (i > 0 ? "_" : "") + words.back().second.substr(5);
    }
    if (cell.gates == 4) {
        const bool coupled = e.view.integer("input_forget") != 0;
        words.emplace_back("FORGET", coupled
                                         ? "1.0f - i"
                                         : "@GATE@(bounded(gates[2 * n + k] + (peephole ? peephole[2 * n + k] * c[k] : 0.0f), s->bound))");
        if (coupled) variant += "_coupled";
    }
    words.emplace_back("W", cell.hybrid ? "int8_t" : "float");
    words.emplace_back("MORE", cell.hybrid ? ", const float* scale, int8_t* codes" : "");
    words.emplace_back("SUMS", cell.hybrid ? "hybrid_gates(from, h, w, r, bias, scale, codes, gates, rows, s->width, n);"
                                           : "real_gates(from, h, w, r, bias, gates, rows, s->width, n);");
    if (cell.hybrid) e.source.kernel("add_coded_rows", {{"CODE", "int8_t"}});
    if (cell.piece != "gru") e.source.kernel(cell.hybrid ? "hybrid_gates" : "real_gates");
    return e.source.kernel(cell.piece, words, variant);
}

std::string limit(Emit& e, std::string_view name) { return c_float(e.view.has(name) ? e.view.real(name) : 0.0f); }

std::string cell_shape(Emit& e, const RecurrentCase& c, bool reverse) {
    return "&" + e.source.structure(
                     "recurrent_t",
                     fmt::format("    .steps = {}, .batch = {}, .width = {}, .hidden = {}, .reverse = {}, .x_t = {}, .x_b = {}, .y_t = {}, "
                                 ".y_b = {}, .h_b = {}, .bound = {}",
                                 c.steps, c.batch, c.width, c.hidden, reverse ? 1 : 0, c.x_t(), c.x_b(), c.y_t(), c.y_b(), c.h_b(),
                                 limit(e, "clip")),
                     e.label("shape"));
}

// A place behind a pointer; without one, none.
std::string plus(const std::string& pointer, int64_t offset) {
    return pointer.empty() ? "0" : offset == 0 ? pointer : fmt::format("{} + {}", pointer, offset);
}

void emit_recurrent(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const RecurrentCase c = recurrent_case(e);
    const Cell cell = cell_of(e.node.op->name);
    const bool lstm = cell.gates == 4;
    const auto activations = gate_activations(e.view, cell.usual, c.directions);
    const auto input = [&](size_t i) { return e.has_in(i) ? e.real_in(i) : std::string(); };
    const std::string x = e.real_in(0), w = e.real_in(1), r = e.real_in(2), bias = input(3), peephole = lstm ? input(7) : "";
    const std::string lengths = e.has_in(4) ? e.in(4) : "0";
    const std::string h = state(e, 5, 1, c.states()), memory = lstm ? state(e, 6, 2, c.states()) : "";
    const std::string y = e.wants(0) ? e.real_out(0) : "";
    if (!y.empty() && e.has_in(4)) zero_fill(e, y, e.out_count(0));  // what lies after the end of a sequence
    const std::string gates = e.f.scratch(DType::f32, cell.gates * c.hidden);
    const std::string own = e.node.is(ops::GRU) ? e.f.scratch(DType::f32, 4 * c.hidden) : "";
    e.source.kernel("recurrent_t");
    const int64_t rows = cell.gates * c.hidden;
    for (int64_t d = 0; d < c.directions; ++d) {
        const auto own_activations = std::span(activations).subspan(static_cast<size_t>(d) * cell.usual.size(), cell.usual.size());
        const std::string fn = cell_kernel(e, cell, own_activations);
        std::vector<std::string> arguments{x, plus(w, d * rows * c.width), plus(r, d * rows * c.hidden), plus(bias, d * 2 * rows)};
        if (lstm) arguments.push_back(plus(peephole, d * 3 * c.hidden));
        arguments.insert(arguments.end(), {lengths, plus(y, d * c.y_d()), plus(h, d * c.h_d())});
        if (lstm) arguments.push_back(plus(memory, d * c.h_d()));
        arguments.push_back(gates);
        if (lstm) arguments.push_back(limit(e, "cell_clip"));
        if (!own.empty()) arguments.insert(arguments.end(), {own, e.view.integer("linear_before_reset") != 0 ? "1" : "0"});
        arguments.push_back(cell_shape(e, c, d == 1 || e.view.text("direction") == "reverse"));
        e.call(fn, arguments);
    }
}

// Profile tflite on int8 weights: one direction; the biases of x and h are one.
void emit_hybrid(Emit& e) {
    if (e.view.has(asymmetric_key)) throw unsupported("activations with a zero point of their own");
    const RecurrentCase c = recurrent_case(e);
    Cell cell = cell_of(e.node.op->name);
    cell.hybrid = true;
    const bool lstm = cell.gates == 4;
    const auto rows = static_cast<size_t>(cell.gates * c.hidden);
    std::vector<float> bias(rows, 0.0f), scales;
    if (e.has_in(3)) {
        const auto both = e.real_constant(3);
        if (!both) throw unsupported("the bias is not constant");
        const auto items = to_floats(*both);
        for (size_t i = 0; i < rows; ++i) bias[i] = items[i] + items[i + rows];
    }
    for (const size_t at : {1, 2}) {
        const auto own = to_floats(e.in_encoding(at)->scale);
        for (size_t i = 0; i < rows; ++i) scales.push_back(own[own.size() == 1 ? 0 : i]);
    }
    const std::string peephole = lstm && e.has_in(7) ? e.real_in(7) : "0";
    const std::string h = state(e, 5, 1, c.states()), memory = lstm ? state(e, 6, 2, c.states()) : "";
    const std::string y = e.wants(0) ? e.real_out(0) : "0", gates = e.f.scratch(DType::f32, static_cast<int64_t>(rows)),
                      codes = e.f.scratch(DType::i8, std::max(c.width, c.hidden));
    e.source.kernel("recurrent_t");
    const std::string fn = cell_kernel(e, cell, gate_activations(e.view, cell.usual, 1));
    std::vector<std::string> arguments{e.in(0), e.in(1), e.in(2), e.source.numbers<float>(bias, e.label("bias"))};
    if (lstm) arguments.push_back(peephole);
    arguments.insert(arguments.end(), {"0", y, h});
    if (lstm) arguments.push_back(memory);
    arguments.push_back(gates);
    if (lstm) arguments.push_back(limit(e, "cell_clip"));
    arguments.insert(arguments.end(),
                     {cell_shape(e, c, e.view.text("direction") == "reverse"), e.source.numbers<float>(scales, e.label("scale")), codes});
    e.call(fn, arguments);
}

// ---- codes ---------------------------------------------------------------------------------------------------------------------

using namespace recurrent_operands;
void emit_lstm_codes(Emit& e) {
    const RecurrentCase c = recurrent_case(e);
    if (e.has_in(4)) throw unsupported("sequences of different lengths");
    const LstmFactors factors =
        lstm_factors({e.in_encoding(0), e.in_encoding(weights_at), e.in_encoding(hidden_at), e.in_encoding(recurrence_at)}, c.hidden);
    const lstm_codes_t sizes =
        lstm_sizes(e.view, *e.in_encoding(0), *e.in_encoding(hidden_at), *e.in_encoding(cell_at), e.node.internal,
                   {.steps = c.steps, .batch = c.batch, .input = c.width, .hidden = c.hidden, .batch_first = c.batch_first});
    const auto codes = e.has_in(bias_at) ? std::optional(e.constant(bias_at).value()) : std::nullopt;
    const std::vector<int32_t> bias = lstm_bias(codes ? &*codes : nullptr, c.hidden);
    const std::string h = e.f.scratch(DType::i8, c.states()), cells = e.f.scratch(DType::i16, c.states()),
                      gates = e.f.scratch(DType::i16, 4 * c.hidden);
    e.source.need_memory();
    e.f.statement(fmt::format("memcpy({}, {}, {});", h, e.in(hidden_at), c.states()));
    e.f.statement(fmt::format("memcpy({}, {}, {});", cells, e.in(cell_at), 2 * c.states()));
    const std::string fn = e.source.kernel("lstm_codes");
    const std::string y = e.wants(0) ? e.out() : e.f.scratch(DType::i8, c.steps * c.states());
    e.call(fn, {e.in(0), e.in(weights_at), e.in(recurrence_at), e.source.constant(Tensor::vector<int32_t>(bias), e.label("bias")),
                e.source.numbers<int32_t>(factors.factors, e.label("factor")), e.source.numbers<int8_t>(factors.shifts, e.label("shift")),
                y, h, cells, gates, e.source.parameters("lstm_codes_t", sizes, e.label("shape"))});
    // Final states leave as real numbers, or as codes of their own encodings.
    const auto give = [&](size_t out_at, size_t in_at, const std::string& codes) {
        if (!e.wants(out_at)) return;
        const Grid grid(*e.in_encoding(in_at));
        e.call(e.source.kernel("dequantize", {{"A", std::string(e.in_type(in_at))}}),
               {codes, e.real_out(out_at), text_of(c.states()), c_float(grid.scale), text_of(grid.zero)});
    };
    give(1, hidden_at, h);
    give(2, cell_at, cells);
}

void emit_profile_lstm(Emit& e) { e.in_encoding(0) ? emit_lstm_codes(e) : emit_hybrid(e); }

constexpr std::array recurrent_table{
    EmitRow{Kind::real, "LSTM", emit_recurrent}, EmitRow{Kind::real, "GRU", emit_recurrent},
    EmitRow{Kind::real, "RNN", emit_recurrent},  EmitRow{Kind::profile, "LSTM", emit_profile_lstm},
    EmitRow{Kind::profile, "RNN", emit_hybrid},
};

}  // namespace

std::span<const EmitRow> recurrent_rows() { return recurrent_table; }

}  // namespace quern::cgen
