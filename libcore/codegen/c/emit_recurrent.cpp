// LSTM, GRU and RNN in float32 and with weights in codes, and LSTM on codes by the profile tflite.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/codegen/c/recurrent.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/recurrent/tflite_hybrid_recurrent.h"
#include "libcore/ops/recurrent/tflite_lstm.h"

namespace quern::cgen {
namespace {

using namespace recurrent_operands;

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
    const Rounding* hybrid = nullptr;  // int8 weights, x and h rounded on the way in
};

Cell cell_of(std::string_view op) {
    if (op.ends_with("LSTM")) return {"lstm", 4, {"GATE", "CANDIDATE", "CELL"}, {"Sigmoid", "Tanh", "Tanh"}};
    if (op == "GRU") return {"gru", 3, {"GATE", "CANDIDATE"}, {"Sigmoid", "Tanh"}};
    return {"rnn", 1, {"GATE"}, {"Tanh"}};
}

// What stands for the words of a cell, and the end of its kernel's name.
Words cell_words(Emit& e, const Cell& cell, std::span<const GateActivation> activations, std::string& variant) {
    Words words;
    for (size_t i = 0; i < cell.words.size(); ++i) {
        words.emplace_back(cell.words[i], gate_function(e, activations[i]));
        variant += (i > 0 ? "_" : "") + words.back().second.substr(5);
    }
    if (cell.gates == 4) {
        const bool coupled = e.view.integer("input_forget") != 0;
        words.emplace_back(
            "FORGET", coupled ? "1.0f - i" : "@GATE@(bounded(gates[2 * n + k] + (peephole ? peephole[2 * n + k] * c[k] : 0.0f), bound))");
        if (coupled) variant += "_coupled";
    }
    return words;
}

std::string cell_kernel(Emit& e, const Cell& cell, std::span<const GateActivation> activations) {
    std::string variant;
    Words words = cell_words(e, cell, activations, variant);
    if (cell.gates == 4) words = {{"STEP", e.source.kernel("lstm_step", words, variant)}};
    std::string sums = "real_gates(from, h, w, r, bias, gates, rows, s->width, n);";
    if (cell.hybrid) {
        const std::string_view code = c_type(cell.hybrid->storage());
        sums = fmt::format("{}(from, h, w, r, bias, scale, codes, gates, rows, s->width, n);",
                           coded_rows_kernel(e, "hybrid_gates", *cell.hybrid));
        variant += fmt::format("_{}", short_name(code));
        words.emplace_back("MORE", fmt::format(", const float* scale, {}* codes", code));
    } else {
        if (cell.piece != "gru") e.source.kernel("real_gates");
        words.emplace_back("MORE", "");
    }
    words.emplace_back("W", cell.hybrid ? "int8_t" : "float");
    words.emplace_back("SUMS", sums);
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

// Both biases of each row of gates, added; of one direction.
std::vector<float> both_biases(Emit& e, int64_t direction, int64_t rows) {
    const auto count = static_cast<size_t>(rows), first = static_cast<size_t>(direction * 2 * rows);
    std::vector<float> bias(count, 0.0f);
    if (!e.has_in(bias_at)) return bias;
    const auto both = e.real_constant(bias_at);
    if (!both) throw unsupported("the bias is not constant");
    const auto items = to_floats(*both);
    for (size_t i = 0; i < count; ++i) bias[i] = items[first + i] + items[first + i + count];
    return bias;
}

// Profile tflite on int8 weights: one direction; the biases of x and h are one.
void emit_hybrid(Emit& e) {
    const RecurrentCase c = recurrent_case(e);
    Cell cell = cell_of(e.node.op->name);
    const Rounding rounding = rounding_of(e);
    cell.hybrid = &rounding;
    const bool lstm = cell.gates == 4;
    const auto rows = static_cast<size_t>(cell.gates * c.hidden);
    std::vector<float> scales;
    for (const size_t at : {weights_at, recurrence_at})
        std::ranges::copy(row_scales(*e.in_encoding(at), c.directions * static_cast<int64_t>(rows)), std::back_inserter(scales));
    const std::string peephole = lstm && e.has_in(7) ? e.real_in(7) : "0";
    const std::string h = state(e, 5, 1, c.states()), memory = lstm ? state(e, 6, 2, c.states()) : "";
    const std::string y = e.wants(0) ? e.real_out(0) : "0", gates = e.f.scratch(DType::f32, static_cast<int64_t>(rows)),
                      codes = e.f.scratch(rounding.storage(), std::max(c.width, c.hidden));
    e.source.kernel("recurrent_t");
    const std::string fn = cell_kernel(e, cell, gate_activations(e.view, cell.usual, 1));
    std::vector<std::string> arguments{e.in(0), e.in(1), e.in(2),
                                       e.source.numbers<float>(both_biases(e, 0, static_cast<int64_t>(rows)), e.label("bias"))};
    if (lstm) arguments.push_back(peephole);
    arguments.insert(arguments.end(), {"0", y, h});
    if (lstm) arguments.push_back(memory);
    arguments.push_back(gates);
    if (lstm) arguments.push_back(limit(e, "cell_clip"));
    arguments.insert(arguments.end(),
                     {cell_shape(e, c, e.view.text("direction") == "reverse"), e.source.numbers<float>(scales, e.label("scale")), codes});
    e.call(fn, arguments);
}

// Scales or zero points of the weights of a direction, one for it or one for each row of gates.
std::vector<double> of_direction(Emit& e, size_t at, int64_t direction, const RecurrentCase& c) {
    const auto rows = static_cast<size_t>(4 * c.hidden), d = static_cast<size_t>(direction), count = static_cast<size_t>(c.directions);
    const auto tensor = e.constant(at);
    if (!tensor) throw unsupported("scales or zero points of weights that are computed in the run");
    const auto all = to_doubles(*tensor);
    if (all.size() == count) return std::vector<double>(rows, all[d]);
    if (all.size() != count * rows) throw unsupported("{} scales or zero points for {} rows of gates", all.size(), count * rows);
    return {all.begin() + static_cast<std::ptrdiff_t>(d * rows), all.begin() + static_cast<std::ptrdiff_t>((d + 1) * rows)};
}

// com.microsoft.DynamicQuantizeLSTM: weights [directions, depth, gates] are codes, data and states become codes in the run.
void emit_dynamic_lstm(Emit& e) {
    enum Input : size_t { w_scale_at = 8, w_zero_at, r_scale_at, r_zero_at };
    const Dims& x = e.in_dims(0);
    const RecurrentCase c{x[0], x[1], x[2], e.in_dims(recurrence_at)[1], direction_count(e.view), false};
    if (e.has_in(lengths_at)) {
        const auto lengths = e.constant(lengths_at);
        if (!lengths || std::ranges::any_of(to_ints(*lengths), [&](int64_t length) { return length != c.steps; }))
            throw unsupported("sequences of different lengths");
    }
    const Cell cell = cell_of(e.node.op->name);
    const int64_t rows = 4 * c.hidden;
    need_count(e, weights_at, c.directions * c.width * rows);
    need_count(e, recurrence_at, c.directions * c.hidden * rows);
    need_count(e, bias_at, c.directions * 2 * rows);
    need_count(e, peepholes_at, c.directions * 3 * c.hidden);
    for (const size_t at : {hidden_at, cell_at}) need_count(e, at, c.states());
    const auto activations = gate_activations(e.view, cell.usual, c.directions);
    const std::string data = e.real_in(0), peephole = e.has_in(peepholes_at) ? e.real_in(peepholes_at) : "",
                      y = e.wants(0) ? e.real_out(0) : "", h = state(e, hidden_at, 1, c.states()),
                      memory = state(e, cell_at, 2, c.states()), gates = e.f.scratch(DType::f32, c.steps * c.batch * rows),
                      codes = e.f.scratch(DType::u8, c.batch * std::max(c.steps * c.width, c.hidden));
    const std::string w_type(e.in_type(weights_at)), r_type(e.in_type(recurrence_at));
    e.source.kernel("recurrent_t");
    e.source.kernel("quantize_dynamic", {{"Y", "uint8_t"}});
    const std::string add_w = e.source.kernel("add_dynamic_rows", {{"W", w_type}}),
                      add_r = e.source.kernel("add_dynamic_rows", {{"W", r_type}});
    for (int64_t d = 0; d < c.directions; ++d) {
        std::string variant;
        const Words words = cell_words(e, cell, std::span(activations).subspan(static_cast<size_t>(3 * d), 3), variant);
        const std::string step = e.source.kernel("lstm_step", words, variant);
        const std::string fn =
            e.source.kernel("dynamic_lstm", {{"W", w_type}, {"R", r_type}, {"ADDX", add_w}, {"ADDH", add_r}, {"STEP", step}}, variant);
        std::vector<float> scales;
        std::vector<int32_t> zeros;
        for (const size_t at : {w_scale_at, r_scale_at}) std::ranges::copy(of_direction(e, at, d, c), std::back_inserter(scales));
        for (const size_t at : {w_zero_at, r_zero_at}) std::ranges::copy(of_direction(e, at, d, c), std::back_inserter(zeros));
        e.call(fn, {data, plus(e.in(weights_at), d * c.width * rows), plus(e.in(recurrence_at), d * c.hidden * rows),
                    e.source.numbers<float>(both_biases(e, d, rows), e.label("bias")), e.source.numbers<float>(scales, e.label("scale")),
                    e.source.numbers<int32_t>(zeros, e.label("zero")), plus(peephole, d * 3 * c.hidden), plus(y, d * c.y_d()),
                    plus(h, d * c.h_d()), plus(memory, d * c.h_d()), gates, codes,
                    cell_shape(e, c, d == 1 || e.view.text("direction") == "reverse")});
    }
}

// ---- codes ---------------------------------------------------------------------------------------------------------------------

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
    give_state(e, 1, hidden_at, h, c.states());
    give_state(e, 2, cell_at, cells, c.states());
}

void emit_profile_lstm(Emit& e) { e.in_encoding(0) ? emit_lstm_codes(e) : emit_hybrid(e); }

constexpr std::array recurrent_table{
    EmitRow{Kind::real, "LSTM", emit_recurrent}, EmitRow{Kind::real, "GRU", emit_recurrent},
    EmitRow{Kind::real, "RNN", emit_recurrent},  EmitRow{Kind::profile, "LSTM", emit_profile_lstm},
    EmitRow{Kind::profile, "RNN", emit_hybrid},  EmitRow{Kind::real, "DynamicQuantizeLSTM", emit_dynamic_lstm, "com.microsoft"},
};

}  // namespace

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

void give_state(Emit& e, size_t out_at, size_t in_at, const std::string& codes, int64_t count) {
    if (!e.wants(out_at)) return;
    const Grid grid(*e.in_encoding(in_at));
    e.call(e.source.kernel("dequantize", {{"A", std::string(e.in_type(in_at))}}),
           {codes, e.real_out(out_at), text_of(count), c_float(grid.scale), text_of(grid.zero)});
}

Rounding rounding_of(Emit& e) { return {!e.view.has(asymmetric_key), false}; }

std::string coded_rows_kernel(Emit& e, std::string_view piece, const Rounding& rounding) {
    const std::string type(c_type(rounding.storage()));
    const std::string round = e.source.kernel(rounding.kernel()), add = e.source.kernel("add_coded_rows", {{"CODE", type}});
    return e.source.kernel(piece, {{"CODE", type}, {"ROUND", round}, {"ADD", add}});
}

void need_count(Emit& e, size_t at, int64_t count) {
    if (e.has_in(at) && e.in_count(at) != count) throw unsupported("input {} has {} numbers, need {}", at, e.in_count(at), count);
}

std::span<const EmitRow> recurrent_rows() { return recurrent_table; }

}  // namespace quern::cgen
