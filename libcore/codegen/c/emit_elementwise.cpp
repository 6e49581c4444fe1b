// Elementwise operators: functions of codes as tables, real numbers as C expressions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/exec/interpreter.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

// ---- tables --------------------------------------------------------------------------------------------------------------------

// The step's nodes alone in a graph, over all codes of `input`, run by the reference.
std::optional<Tensor> table_of(Emit& e, size_t input) {
    const Graph& whole = e.f.program().graph();
    const Encoding& grid = *e.in_encoding(input);
    const auto [min, max] = int_range(grid.storage);
    const int64_t count = max - min + 1;
    Graph graph;
    std::map<ValueId, ValueId> moved{{ValueId::none, ValueId::none}};
    const auto value_of = [&](ValueId id) {
        const auto [found, added] = moved.emplace(id, ValueId::none);
        if (!added) return found->second;
        const Value& from = whole.value(id);
        const ValueId to = found->second = graph.add_value(from.name, Type::tensor(from.type.dtype, from.type.shape));
        graph.value(to).enc = from.enc;
        graph.value(to).data = from.data;
        if (!from.constant()) graph.value(to).type.shape = Shape::of(Dims{count});
        return to;
    };
    for (const Node* node : e.step.nodes) {
        std::vector<ValueId> in, out;
        for (const ValueId id : node->in) in.push_back(value_of(id));
        for (const ValueId id : node->out) out.push_back(value_of(id));
        graph.add_node(node->op, node->name, in, out, node->attrs);
    }
    const ValueId from = moved.at(e.in_id(input)), to = moved.at(e.out_id(0));
    graph.inputs = {from};
    graph.outputs = {to};
    const CompiledGraph program(graph, e.f.program().options(), "");
    ThreadPool pool(1);
    RunState state{.pool = pool, .times = {}};
    Frame frame(program, state);
    std::vector<int64_t> codes(static_cast<size_t>(count));
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = min + static_cast<int64_t>(i);
    frame.bind(from, from_ints(grid.storage, {count}, codes), &grid);
    try {
        quern::run(frame);
    } catch (const Error& error) {  // some codes have no result: the root of a negative one
        if (error.exit() == Exit::bad_input) return std::nullopt;
        throw;
    }
    const Tensor& made = frame.held(to);
    return made.dims == Dims{count} ? std::optional(made) : std::nullopt;
}

// The 513 numbers of which 16-bit codes are straight lines (libcore/ops/integer/table16.h), if all codes are.
std::optional<std::vector<int16_t>> lines_of(const std::vector<int64_t>& codes) {
    std::vector<int16_t> items(513);
    for (size_t i = 0; i < 512; ++i) items[i] = static_cast<int16_t>(codes[i * 128]);
    const auto fits = [&](size_t line) {
        for (size_t k = 0; k < 128; ++k) {
            const int32_t step = static_cast<int16_t>(items[line + 1] - items[line]) * static_cast<int32_t>(k);
            if (codes[line * 128 + k] != static_cast<int16_t>(items[line] + ((step + 64) >> 7))) return false;
        }
        return true;
    };
    for (size_t line = 0; line < 511; ++line)
        if (!fits(line)) return std::nullopt;
    const int32_t rise = static_cast<int16_t>(codes[65535] - items[511]);
    for (const int32_t more : {-2, -1, 0, 1, 2}) {  // what the last line's step may be
        items[512] = static_cast<int16_t>(items[511] + rise * 128 / 127 + more);
        if (fits(511)) return items;
    }
    return std::nullopt;
}

bool emit_lines(Emit& e, const std::string& x, const std::vector<int64_t>& codes) {
    if (e.out_type() != "int16_t") return false;
    const auto items = lines_of(codes);
    if (!items) return false;
    e.source.kernel("on_lines");
    const std::string fn = e.source.kernel(
        "unary", {{"A", "int16_t"}, {"Y", "int16_t"}, {"PARAMETERS", ", const int16_t* lines"}, {"VALUE", "(int16_t)on_lines(u, lines)"}},
        "on_lines");
    e.call(fn, {x, e.out(), text_of(e.out_count()), e.source.numbers<int16_t>(*items, e.label("lines"))});
    return true;
}

}  // namespace

bool emit_table(Emit& e) {
    if (e.node.out.size() != 1 || !e.out_encoding() || !e.node.bodies.empty()) return false;
    if (!std::ranges::all_of(e.step.nodes, [](const Node* node) { return has(node->op->traits, Trait::elementwise); })) return false;
    if (has(e.node.op->traits, Trait::random) || !e.out_encoding()->is_fixed()) return false;
    std::optional<size_t> input;
    for (const Node* node : e.step.nodes)
        for (size_t i = 0; i < node->in.size(); ++i) {
            if (node->in[i] == ValueId::none || (node != &e.node && i == 0)) continue;
            const Value& value = e.f.program().graph().value(node->in[i]);
            if (value.constant() && value.type.shape.concrete() && count_of(*value.type.shape.concrete()) == 1) continue;
            if (input || node != &e.node || value.constant()) return false;
            input = i;
        }
    const Encoding* in = input ? e.in_encoding(*input) : nullptr;
    if (!in || !in->plain_integer(16)) return false;
    const bool wide = bits_of(in->storage) > 8 && e.step.how == StepArithmetic::profile;
    if (wide && e.f.encoding(e.in_id(*input))->storage != DType::i16) return false;
    const auto table = table_of(e, *input);
    if (!table) return false;
    if (wide) return emit_lines(e, e.in(*input), to_ints(*table));  // other fixed-point arithmetic is shorter than 65,536 codes
    const std::string fn = e.source.kernel(
        "look_up",
        {{"A", std::string(e.in_type(*input))}, {"Y", std::string(e.out_type())}, {"LEAST", text_of(int_range(in->storage).min)}});
    e.call(fn, {e.in(*input), e.out(), text_of(e.out_count()), e.source.constant(*table, e.label("table"))});
    return true;
}

namespace {

// ---- one operand ---------------------------------------------------------------------------------------------------------------

// The operator's formula for elements of input 0. `words` gets what stands in it, `variant` what tells it from others in a kernel's name.
std::string formula_of(Emit& e, Words& words, std::string& variant) {
    const Op& op = *e.node.op;
    const std::string_view type = e.real_in_type(0), text = is_real(type) ? op.formula.real : op.formula.whole;
    if (text.empty()) throw unsupported("elements of type {}", type);
    variant = slug(op.name);
    for (size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at)) {
        const size_t end = text.find('@', at + 1);
        const std::string_view word = text.substr(at + 1, end - at - 1);
        at = end + 1;
        if (word == "A" || word == "Y" || std::ranges::find(words, word, &Words::value_type::first) != words.end()) continue;
        if (std::ranges::find(op.attrs, word, &AttrDef::name) != op.attrs.end()) {
            words.emplace_back(word, c_float(e.view.real(word)));
            variant += "_" + name_part(e.view.real(word));
        } else if (word == "round_even") {
            if (type == "double") throw unsupported("elements of type double");
            words.emplace_back(word, e.source.kernel(word));
        } else {
            words.emplace_back(word, e.math(word, type == "double"));
        }
    }
    return "(@Y@)(" + std::string(text) + ")";
}

std::string gelu(Emit& e) {
    if (e.view.text("approximate") == "tanh") return "0.5f * u * (1.0f + @tanhf@(0.7978845608f * (u + 0.044715f * u * u * u)))";
    return "0.5f * u * (1.0f + @erff@(u * 0.70710678f))";
}

void call_unary(Emit& e, Words words, std::string_view variant) {
    words.emplace_back("A", std::string(e.real_in_type(0)));
    words.emplace_back("Y", std::string(e.real_out_type()));
    words.emplace_back("PARAMETERS", "");
    const std::string x = e.real_in(0);
    e.call(e.source.kernel("unary", words, variant), {x, e.real_out(), text_of(e.out_count())});
}

void emit_gelu(Emit& e) {
    if (!is_real(e.real_in_type(0))) throw unsupported("elements of type {}", e.real_in_type(0));
    const std::string kind = e.view.text("approximate");
    Words words{{"VALUE", "(@Y@)(" + gelu(e) + ")"}};
    e.add_math(words, kind == "tanh" ? "tanhf" : "erff", e.real_in_type(0));
    call_unary(e, words, slug("gelu_" + kind));
}

// Bounds are parameters: one kernel for all.
void emit_clip(Emit& e) {
    const std::string type(e.real_in_type(0));
    const bool real = is_real(type);
    const auto bound = [&](size_t i, bool max) {
        if (!e.has_in(i)) return real ? infinity(type, max) : integer_limit(e.f.held(e.in_id(0)), max);
        const auto tensor = e.real_constant(i);
        if (tensor && tensor->count() == 1) return c_number(*tensor, type);
        return e.real_in(i) + "[0]";
    };
    const std::string low = bound(1, false), high = bound(2, true), x = e.real_in(0);
    const std::string fn = e.source.kernel("unary",
                                           {{"A", type},
                                            {"Y", std::string(e.real_out_type())},
                                            {"PARAMETERS", fmt::format(", {0} low, {0} high", type)},
                                            {"VALUE", "high < (u < low ? low : u) ? high : u < low ? low : u"}},
                                           "clip");
    e.call(fn, {x, e.real_out(), text_of(e.out_count()), low, high});
}

void emit_cast(Emit& e) {
    const std::string from(e.real_in_type(0)), to(e.real_out_type());
    const bool truth = e.f.program().graph().value(e.out_id(0)).type.dtype == DType::boolean;
    const std::string x = e.real_in(0);
    const std::string fn = e.source.kernel("unary", {{"A", from}, {"Y", to}, {"PARAMETERS", ""}, {"VALUE", truth ? "u != 0" : "(@Y@)u"}},
                                           truth ? "truth" : "cast");
    e.call(fn, {x, e.real_out(), text_of(e.out_count())});
}

// ---- two and more operands -----------------------------------------------------------------------------------------------------

void call_binary(Emit& e, const std::string& a, const Dims& a_dims, const std::string& b, const Dims& b_dims, const std::string& y) {
    const Dims& dims = e.out_dims();
    Words words{{"A", std::string(e.real_in_type(0))},
                {"B", std::string(e.real_in_type(1))},
                {"Y", std::string(e.real_out_type())},
                {"PARAMETERS", ""}};
    std::string variant;
    const std::string value = formula_of(e, words, variant);
    words.emplace_back("VALUE", value);
    e.call(e.source.kernel("binary", words, variant),
           {a, b, y, walk(e, dims, {broadcast_steps(a_dims, dims), broadcast_steps(b_dims, dims)}, "walk")});
}

// The one whole exponent of a Pow, whose powers need no library.
std::optional<int32_t> whole_exponent(Emit& e) {
    const auto exponent = e.node.is(ops::Pow) && e.out_count() == e.in_count(0) ? e.real_constant(1) : std::nullopt;
    if (!exponent || !is_float(exponent->dtype) || e.real_in_type(0) != "float") return std::nullopt;
    const auto items = to_floats(*exponent);
    if (!portable::is_whole_power(items[0]) || std::ranges::any_of(items, [&](float item) { return item != items[0]; }))
        return std::nullopt;
    return static_cast<int32_t>(items[0]);
}

void emit_power(Emit& e, int32_t exponent) {
    if (exponent == 2) return call_unary(e, {{"VALUE", "u * u"}}, "square");
    e.source.kernel("whole_power");
    call_unary(e, {{"VALUE", fmt::format("whole_power(u, {})", exponent)}}, "power_" + name_part(static_cast<float>(exponent)));
}

// From left to right in the result's memory, which has the shape of all already.
void emit_variadic(Emit& e) {
    std::vector<std::string> operands;
    for (size_t i = 0; i < e.node.in.size(); ++i) operands.push_back(e.real_in(i));
    const std::string y = e.real_out();
    if (operands.size() == 1) {
        e.source.need_memory();
        return e.f.statement(fmt::format("memcpy({}, {}, {} * sizeof({}));", y, operands[0], e.out_count(), e.real_out_type()));
    }
    call_binary(e, operands[0], e.in_dims(0), operands[1], e.in_dims(1), y);
    for (size_t i = 2; i < operands.size(); ++i) call_binary(e, y, e.out_dims(), operands[i], e.in_dims(i), y);
    if (!e.node.is(ops::Mean)) return;
    const std::string type(e.real_out_type());
    e.call(e.source.kernel("unary", {{"A", type}, {"Y", type}, {"PARAMETERS", fmt::format(", {} divisor", type)}, {"VALUE", "u / divisor"}},
                           "divided"),
           {y, y, text_of(e.out_count()), text_of(static_cast<int64_t>(operands.size()))});
}

}  // namespace

void emit_formula(Emit& e) {
    if (const auto exponent = whole_exponent(e)) return emit_power(e, *exponent);
    if (emit_whole_arithmetic(e)) return;
    if (has(e.node.op->traits, Trait::variadic_in)) return emit_variadic(e);
    if (e.node.op->in.max == 1) {
        Words words;
        std::string variant;
        const std::string value = formula_of(e, words, variant);
        words.emplace_back("VALUE", value);
        return call_unary(e, words, variant);
    }
    const std::string a = e.real_in(0), b = e.real_in(1);
    call_binary(e, a, e.in_dims(0), b, e.in_dims(1), e.real_out());
}

namespace {

void emit_where(Emit& e) {
    const Dims& dims = e.out_dims();
    const std::string a = e.real_in(1), b = e.real_in(2), fn = chooser(e, e.real_in_type(1));
    e.call(fn,
           {e.in(0), a, b, e.real_out(),
            walk(e, dims, {broadcast_steps(e.in_dims(0), dims), broadcast_steps(e.in_dims(1), dims), broadcast_steps(e.in_dims(2), dims)},
                 "walk")});
}

// The reference takes real numbers through.
void emit_recode(Emit& e) {
    const Encoding* to = e.out_encoding();
    if (to && to->is_dynamic()) {
        if (!to->per_tensor()) throw unsupported("output 0 is {}", to_string(*to));
        const auto [scale, zero] = e.f.dynamic_grid(e.out_id(0));
        const std::string real = e.real_in(0);
        return e.call(e.source.kernel("quantize_dynamic", {{"Y", std::string(e.out_type())}}),
                      {real, e.out(), text_of(e.out_count()), text_of(to->qmin), text_of(to->qmax), "&" + scale, "&" + zero});
    }
    const std::string x = e.real_in(0), count = text_of(e.out_count());
    if (!to && !is_real(e.real_in_type(0))) throw unsupported("elements of type {}", e.real_in_type(0));
    if (!to)
        return e.call(e.source.kernel("unary", {{"A", "float"}, {"Y", "float"}, {"PARAMETERS", ""}, {"VALUE", "u"}}, "same"),
                      {x, e.out(), count});
    const Grid grid(*to);
    e.call(e.source.kernel("quantize", {{"Y", std::string(e.out_type())}}),
           {x, e.out(), count, c_float(grid.scale), text_of(grid.zero), text_of(grid.low), text_of(grid.high)});
}

constexpr std::array elementwise_table{
    EmitRow{Kind::real, "Gelu", emit_gelu},
    EmitRow{Kind::real, "Clip", emit_clip},
    EmitRow{Kind::real, "Cast", emit_cast},
    EmitRow{Kind::real, "CastLike", emit_cast},
    EmitRow{Kind::real, "Where", emit_where},
    EmitRow{Kind::codes, "Recode", emit_recode, "quern"},
    EmitRow{Kind::real, "Recode", emit_recode, "quern"},
};

}  // namespace

std::string chooser(Emit& e, std::string_view type) {
    return e.source.kernel("ternary", {{"A", "uint8_t"}, {"B", std::string(type)}, {"VALUE", "u ? v : w"}}, "choose");
}

void emit_pairs(Emit& e, Words words, const std::string& variant) {
    words.emplace_back("A", std::string(e.real_in_type(0)));
    words.emplace_back("B", std::string(e.real_in_type(1)));
    words.emplace_back("Y", std::string(e.real_out_type()));
    words.emplace_back("PARAMETERS", "");
    const std::string a = e.real_in(0), b = e.real_in(1);
    e.call(e.source.kernel("binary", words, variant), {a, b, e.real_out(), pair_walk(e)});
}

std::span<const EmitRow> elementwise_rows() { return elementwise_table; }

}  // namespace quern::cgen
