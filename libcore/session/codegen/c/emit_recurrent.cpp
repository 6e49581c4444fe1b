// LSTM: in float32, and on codes by the profile tflite.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/ops/fixed_point.h"
#include "libcore/ops/recurrent.h"
#include "libcore/session/codegen/c/emit.h"

namespace quern::cgen {
namespace {

struct LstmCase {
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

LstmCase lstm_case(Emit& e) {
    const Dims& x = e.in_dims(0);
    const bool first = e.view.integer("layout") != 0;
    if (e.has_in(4)) throw unsupported("sequences of different lengths");
    return {x[first ? 1 : 0], x[first ? 0 : 1], x[2], e.in_dims(2)[2], direction_count(e.view), first};
}

void zero_fill(Emit& e, const std::string& to, int64_t bytes) {
    e.source.need_memory();
    e.f.statement(fmt::format("memset({}, 0, {});", to, bytes));
}

// The state's memory, which begins as input `in` or 0 and ends as output `out`.
std::string state(Emit& e, size_t in, size_t out, int64_t count) {
    const std::string to = e.wants(out) ? e.real_out(out) : e.f.scratch(DType::f32, count);
    const auto bytes = count * static_cast<int64_t>(sizeof(float));
    if (!e.has_in(in)) {
        zero_fill(e, to, bytes);
    } else {
        e.source.need_memory();
        const std::string from = e.real_in(in);
        e.f.statement(fmt::format("memcpy({}, {}, {});", to, from, bytes));
    }
    return to;
}

void emit_lstm(Emit& e) {
    static constexpr std::array<std::string_view, 3> usual{"Sigmoid", "Tanh", "Tanh"};
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const LstmCase c = lstm_case(e);
    const auto names = e.view.texts("activations");
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] != usual[i % 3]) throw unsupported("activation {}", names[i]);
    if (e.view.has("activation_alpha") || e.view.has("activation_beta")) throw unsupported("parameters of activations");
    if (e.view.integer("input_forget") != 0) throw unsupported("input_forget");
    const std::string x = e.real_in(0), w = e.real_in(1), r = e.real_in(2), bias = e.has_in(3) ? e.real_in(3) : "",
                      peephole = e.has_in(7) ? e.real_in(7) : "";
    const std::string h = state(e, 5, 1, c.states()), cell = state(e, 6, 2, c.states()), y = e.wants(0) ? e.real_out(0) : "";
    const std::string gates = e.f.scratch(DType::f32, 4 * c.hidden), fn = e.source.kernel("lstm");
    const auto plus = [](const std::string& pointer, int64_t offset) {
        return pointer.empty() ? std::string("0") : offset == 0 ? pointer : fmt::format("{} + {}", pointer, offset);
    };
    for (int64_t d = 0; d < c.directions; ++d) {
        const bool reverse = d == 1 || e.view.text("direction") == "reverse";
        const std::string shape =
            "&" +
            e.source.structure(
                "lstm_t",
                fmt::format("    .steps = {}, .batch = {}, .width = {}, .hidden = {}, .reverse = {}, .x_t = {}, .x_b = {}, .y_t = {}, "
                            ".y_b = {}, .h_b = {},\n    .clip = {}, .cell_clip = {}",
                            c.steps, c.batch, c.width, c.hidden, reverse ? 1 : 0, c.x_t(), c.x_b(), c.y_t(), c.y_b(), c.h_b(),
                            c_float(e.view.has("clip") ? e.view.real("clip") : 0.0f),
                            c_float(e.view.has("cell_clip") ? e.view.real("cell_clip") : 0.0f)),
                e.label("shape"));
        e.call(fn, {x, plus(w, d * 4 * c.hidden * c.width), plus(r, d * 4 * c.hidden * c.hidden), plus(bias, d * 8 * c.hidden),
                    plus(peephole, d * 3 * c.hidden), plus(y, d * c.y_d()), plus(h, d * c.h_d()), plus(cell, d * c.h_d()), gates, shape});
    }
}

// ---- codes ---------------------------------------------------------------------------------------------------------------------

constexpr size_t weights_at = 1, recurrence_at = 2, bias_at = 3, hidden_at = 5, cell_at = 6;
constexpr float gate_scale = 1.0f / 4096;

void add_factors(Emit& e, size_t at, const Encoding& data, size_t rows, std::vector<int32_t>& factors, std::vector<int64_t>& shifts) {
    std::vector<float> scales = to_floats(e.in_encoding(at)->scale);
    scales.resize(rows, scales[0]);
    for (const float scale : scales) {
        const FixedFactor factor = FixedFactor::of(static_cast<double>(scale * Grid(data).scale / gate_scale));
        factors.push_back(factor.factor);
        shifts.push_back(factor.shift);
    }
}

void emit_lstm_codes(Emit& e) {
    const LstmCase c = lstm_case(e);
    const auto rows = static_cast<size_t>(4 * c.hidden);
    const Encoding &hidden = *e.in_encoding(hidden_at), &cell = *e.in_encoding(cell_at);
    std::vector<int32_t> factors;
    std::vector<int64_t> shifts, bias(2 * rows, 0);
    add_factors(e, weights_at, *e.in_encoding(0), rows, factors, shifts);
    add_factors(e, recurrence_at, hidden, rows, factors, shifts);
    if (e.has_in(bias_at)) bias = to_ints(e.constant(bias_at).value());
    const auto found = e.node.internal.find("hidden");
    const Encoding& made = found == e.node.internal.end() ? hidden : found->second;
    const FixedFactor out =
        FixedFactor::of(static_cast<double>(static_cast<float>(std::pow(2.0f, -15) / to_floats(made.scale)[0] * std::pow(2.0f, -15))));
    int exponent = 0;
    std::frexp(Grid(cell).scale, &exponent);
    const int64_t clip =
        e.view.has("cell_clip") ? static_cast<int64_t>(std::clamp(e.view.real("cell_clip") / Grid(cell).scale, 0.0f, 32767.0f)) : 0;
    const std::string h = e.f.scratch(DType::i8, c.states()), cells = e.f.scratch(DType::i16, c.states()),
                      gates = e.f.scratch(DType::i16, 4 * c.hidden);
    e.source.need_memory();
    e.f.statement(fmt::format("memcpy({}, {}, {});", h, e.in(hidden_at), c.states()));
    e.f.statement(fmt::format("memcpy({}, {}, {});", cells, e.in(cell_at), 2 * c.states()));
    const std::string fn = e.source.kernel("lstm_codes");
    const std::string shape =
        "&" + e.source.structure(
                  "lstm_codes_t",
                  fmt::format("    .steps = {}, .batch = {}, .width = {}, .hidden = {}, .x_t = {}, .x_b = {}, .y_t = {}, .y_b = "
                              "{},\n    .x_zero = {}, .h_zero = {}, .power = {}, .out_factor = {}, .out_shift = {}, .out_zero = "
                              "{}, .cell_clip = {}",
                              c.steps, c.batch, c.width, c.hidden, c.x_t(), c.x_b(), c.y_t(), c.y_b(), Grid(*e.in_encoding(0)).zero,
                              Grid(hidden).zero, exponent - 1, out.factor, out.shift, Grid(made).zero, clip),
                  e.label("shape"));
    const std::string y = e.wants(0) ? e.out() : e.f.scratch(DType::i8, c.steps * c.states());
    e.call(fn, {e.in(0), e.in(weights_at), e.in(recurrence_at),
                e.source.constant(from_ints(DType::i32, {static_cast<int64_t>(bias.size())}, bias), e.label("bias")),
                e.source.numbers<int32_t>(factors, e.label("factor")),
                e.source.constant(from_ints(DType::i8, {static_cast<int64_t>(shifts.size())}, shifts), e.label("shift")), y, h, cells,
                gates, shape});
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

constexpr std::array rows{
    EmitRow{Kind::real, "LSTM", emit_lstm},
    EmitRow{Kind::profile, "LSTM", emit_lstm_codes},
};

}  // namespace

std::span<const EmitRow> recurrent_rows() { return rows; }

}  // namespace quern::cgen
