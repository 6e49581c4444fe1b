// LSTM, GRU, RNN and SVDF in float32, with int8 weights (hybrid), and LSTM and SVDF on codes by the profile tflite.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/codegen/c/product.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/tflite_svdf.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/recurrent/tflite_hybrid_recurrent.h"
#include "libcore/ops/recurrent/tflite_lstm.h"
#include "libcore/ops/shared/svdf.h"

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
    const Rounding* hybrid = nullptr;  // int8 weights, x and h rounded on the way in
};

Cell cell_of(std::string_view op) {
    if (op == "LSTM") return {"lstm", 4, {"GATE", "CANDIDATE", "CELL"}, {"Sigmoid", "Tanh", "Tanh"}};
    if (op == "GRU") return {"gru", 3, {"GATE", "CANDIDATE"}, {"Sigmoid", "Tanh"}};
    return {"rnn", 1, {"GATE"}, {"Tanh"}};
}

// The kernel that rounds real numbers to codes and multiplies them by rows of weights.
std::string coded_rows_kernel(Emit& e, std::string_view piece, const Rounding& rounding) {
    const std::string type(c_type(rounding.storage()));
    const std::string round = e.source.kernel(rounding.kernel()), add = e.source.kernel("add_coded_rows", {{"CODE", type}});
    return e.source.kernel(piece, {{"CODE", type}, {"ROUND", round}, {"ADD", add}});
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

Rounding rounding_of(Emit& e) { return {!e.view.has(asymmetric_key), false}; }

// Profile tflite on int8 weights: one direction; the biases of x and h are one.
void emit_hybrid(Emit& e) {
    const RecurrentCase c = recurrent_case(e);
    Cell cell = cell_of(e.node.op->name);
    const Rounding rounding = rounding_of(e);
    cell.hybrid = &rounding;
    const bool lstm = cell.gates == 4;
    const auto rows = static_cast<size_t>(cell.gates * c.hidden);
    std::vector<float> bias(rows, 0.0f), scales;
    if (e.has_in(3)) {
        const auto both = e.real_constant(3);
        if (!both) throw unsupported("the bias is not constant");
        const auto items = to_floats(*both);
        for (size_t i = 0; i < rows; ++i) bias[i] = items[i] + items[i + rows];
    }
    for (const size_t at : {weights_at, recurrence_at})
        std::ranges::copy(row_scales(*e.in_encoding(at), c.directions * static_cast<int64_t>(rows)), std::back_inserter(scales));
    const std::string peephole = lstm && e.has_in(7) ? e.real_in(7) : "0";
    const std::string h = state(e, 5, 1, c.states()), memory = lstm ? state(e, 6, 2, c.states()) : "";
    const std::string y = e.wants(0) ? e.real_out(0) : "0", gates = e.f.scratch(DType::f32, static_cast<int64_t>(rows)),
                      codes = e.f.scratch(rounding.storage(), std::max(c.width, c.hidden));
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

// Final states leave as real numbers, or as codes of their own encodings.
void give_state(Emit& e, size_t out_at, size_t in_at, const std::string& codes, int64_t count) {
    if (!e.wants(out_at)) return;
    const Grid grid(*e.in_encoding(in_at));
    e.call(e.source.kernel("dequantize", {{"A", std::string(e.in_type(in_at))}}),
           {codes, e.real_out(out_at), text_of(count), c_float(grid.scale), text_of(grid.zero)});
}

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

// ---- SVDF ----------------------------------------------------------------------------------------------------------------------

namespace svdf = svdf_operands;

SvdfSizes svdf_case(Emit& e) {
    return svdf_sizes({e.in_dims(0), e.in_dims(svdf::filters_at), e.in_dims(svdf::times_at), e.in_dims(svdf::state_at)},
                      e.view.integer("rank"));
}

// On real numbers, with the filters' sums in `fresh`.
void emit_real_units(Emit& e, const SvdfSizes& s, const std::string& fresh) {
    const std::string times = e.real_in(svdf::times_at), bias = e.has_in(svdf::bias_at) ? e.real_in(svdf::bias_at) : "0",
                      memory = state(e, svdf::state_at, 1, s.batch * s.filters * s.memory);
    e.call(e.source.kernel("real_units"),
           {fresh, times, bias, memory, e.real_out(0), text_of(s.batch), text_of(s.filters), text_of(s.memory), text_of(s.rank)});
}

void emit_real_svdf(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const SvdfSizes s = svdf_case(e);
    const std::string fresh = e.f.scratch(DType::f32, s.batch * s.filters), x = e.real_in(0), filters = e.real_in(1);
    e.call(e.source.kernel("real_features"), {x, filters, fresh, text_of(s.batch), text_of(s.filters), text_of(s.input)});
    emit_real_units(e, s, fresh);
}

void emit_hybrid_svdf(Emit& e) {
    const SvdfSizes s = svdf_case(e);
    const Rounding rounding = rounding_of(e);
    const std::string fresh = e.f.scratch(DType::f32, s.batch * s.filters), codes = e.f.scratch(rounding.storage(), s.input),
                      scales = e.source.numbers<float>(row_scales(*e.in_encoding(svdf::filters_at), s.filters), e.label("scale"));
    e.call(coded_rows_kernel(e, "hybrid_features", rounding),
           {e.in(0), e.in(svdf::filters_at), scales, codes, fresh, text_of(s.batch), text_of(s.filters), text_of(s.input)});
    emit_real_units(e, s, fresh);
}

void emit_svdf_codes(Emit& e) {
    const SvdfSizes s = svdf_case(e);
    const svdf_t sizes = svdf_parameters(s, {e.in_encoding(0), e.in_encoding(svdf::filters_at), e.in_encoding(svdf::times_at),
                                             e.in_encoding(svdf::state_at), e.out_encoding()});
    const int64_t count = s.batch * s.filters * s.memory;
    const std::string fresh = e.f.scratch(DType::i16, s.batch * s.filters), memory = e.f.scratch(DType::i16, count),
                      bias = e.has_in(svdf::bias_at)
                                 ? e.in(svdf::bias_at)
                                 : e.source.numbers<int32_t>(std::vector<int32_t>(static_cast<size_t>(s.units())), e.label("bias")),
                      t = e.source.parameters("svdf_t", sizes, e.label("shape"));
    e.source.need_memory();
    e.f.statement(fmt::format("memcpy({}, {}, {});", memory, e.in(svdf::state_at), 2 * count));
    e.call(e.source.kernel("svdf_features"), {e.in(0), e.in(svdf::filters_at), fresh, t});
    e.call(e.source.kernel("svdf_units"), {fresh, e.in(svdf::times_at), bias, memory, e.out(), t});
    give_state(e, 1, svdf::state_at, memory, count);
}

void emit_profile_svdf(Emit& e) { e.in_encoding(0) ? emit_svdf_codes(e) : emit_hybrid_svdf(e); }

void emit_profile_lstm(Emit& e) { e.in_encoding(0) ? emit_lstm_codes(e) : emit_hybrid(e); }

constexpr std::array recurrent_table{
    EmitRow{Kind::real, "LSTM", emit_recurrent},
    EmitRow{Kind::real, "GRU", emit_recurrent},
    EmitRow{Kind::real, "RNN", emit_recurrent},
    EmitRow{Kind::profile, "LSTM", emit_profile_lstm},
    EmitRow{Kind::profile, "RNN", emit_hybrid},
    EmitRow{Kind::real, "SVDF", emit_real_svdf, "quern"},
    EmitRow{Kind::profile, "SVDF", emit_profile_svdf, "quern"},
};

}  // namespace

std::span<const EmitRow> recurrent_rows() { return recurrent_table; }

}  // namespace quern::cgen
