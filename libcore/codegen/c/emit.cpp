#include "libcore/codegen/c/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/codegen/c/declared.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {

Grid::Grid(const Encoding& e) : scale(to_floats(e.scale)[0]), zero(e.zero_at()), low(e.qmin), high(e.qmax) {}

std::string text_of(int64_t number) { return fmt::format("{}", number); }
std::string c_number(const Tensor& tensor, std::string_view c_type) {
    if (c_type == "double") return c_double(to_doubles(tensor)[0]);
    return c_type == "float" ? c_float(to_floats(tensor)[0]) : text_of(to_ints(tensor)[0]);
}
std::string infinity(std::string_view c_type, bool positive) {
    const double value = positive ? HUGE_VAL : -HUGE_VAL;
    return c_type == "double" ? c_double(value) : c_float(static_cast<float>(value));
}
std::string name_part(float number) { return (std::signbit(number) ? "m" : "") + slug(c_float(std::abs(number))); }

Emit::Emit(Function& function, const Step& step_, const Node& node_)
    : step(step_), node(node_), view(node_), f(function), source(function.source()) {}

Lines::Lines(const Dims& dims, size_t axis) : length(dims[axis]), inner(strides_of(dims)[axis]) {
    outer = count_of(dims) / std::max<int64_t>(length * inner, 1);
}

const Encoding* Emit::out_encoding(size_t i) const { return step.unit_out ? &*step.unit_out : f.encoding(out_id(i)); }

std::optional<Tensor> Emit::real_constant(size_t i) const {
    const auto tensor = constant(i);
    return tensor && in_encoding(i) ? dequantize(*tensor, *in_encoding(i)) : tensor;
}

std::string Emit::label(std::string_view what) const { return fmt::format("{}_{}", slug_of_end(node.name), what); }

std::string Emit::math(std::string_view function, bool wide) {
    static constexpr std::array<std::string_view, 3> whole{"ceilf", "floorf", "fmodf"};
    static constexpr std::array<std::string_view, 5> own{"erff", "expf", "logf", "powf", "tanhf"};
    const auto among = [&](const auto& names) { return std::ranges::find(names, function) != names.end(); };
    const bool real = function.back() != 'f';  // of double by its name
    const std::string stem(function.substr(0, function.size() - !real));
    if (!exact() || among(whole)) {
        source.need_libm();
        return wide ? stem : std::string(function);
    }
    if (!wide && among(own)) return source.kernel("float_" + stem);
    return (wide || real ? "" : "(float)") + source.kernel(stem == "sqrt" ? "square_root" : "double_" + stem);
}

void Emit::add_math(Words& words, std::string_view functions, std::string_view type) {
    while (!functions.empty()) {
        const size_t end = std::min(functions.find(' '), functions.size());
        const std::string_view function = functions.substr(0, end);
        words.emplace_back(function, math(function, type == "double"));
        functions.remove_prefix(std::min(end + 1, functions.size()));
    }
}

void Emit::call(std::string_view function, const std::vector<std::string>& arguments) {
    f.statement(fmt::format("{}({});", function, fmt::join(arguments, ", ")));
}

std::string Emit::real_in(size_t i) {
    const Encoding* e = in_encoding(i);
    if (!e) return is_short_float(f.held(in_id(i))) ? decoded_short(i) : in(i);
    if (const auto found = decoded_.find(i); found != decoded_.end()) return found->second;
    if (const auto tensor = real_constant(i)) return decoded_[i] = source.constant(*tensor, label("constant"));
    std::string to = decoded_[i] = f.scratch(DType::f32, in_count(i));
    decode(f, f.held_value(in_id(i)), to, in_count(i), fmt::format("input {}", i));
    return to;
}

std::string Emit::decoded_short(size_t i) {
    if (const auto found = decoded_.find(i); found != decoded_.end()) return found->second;
    if (const auto tensor = constant(i))
        return decoded_[i] = source.constant(from_floats(DType::f32, tensor->dims, to_floats(*tensor)), label("constant"));
    std::string to = decoded_[i] = f.scratch(DType::f32, in_count(i));
    const bool half = f.held(in_id(i)) == DType::f16;
    call(source.kernel(half ? "halves_to_floats" : "bfloats_to_floats"), {in(i), to, text_of(in_count(i))});
    return to;
}

std::string Emit::real_out(size_t i) {
    if (!f.encoding(out_id(i)) && !is_short_float(f.held(out_id(i)))) return out(i);
    pending_.emplace_back(i, f.scratch(DType::f32, out_count(i)));
    return pending_.back().second;
}

void Emit::finish() {
    for (const auto& [i, from] : pending_) {
        if (!f.encoding(out_id(i))) {
            const bool half = f.held(out_id(i)) == DType::f16;
            call(source.kernel(half ? "floats_to_halves" : "floats_to_bfloats"), {from, out(i), text_of(out_count(i))});
        } else {
            encode(f, from, f.held_value(out_id(i)), out_count(i), fmt::format("output {}", i));
        }
    }
    pending_.clear();
}

std::vector<int64_t> broadcast_steps(const Dims& dims, const Dims& out) {
    const auto strides = strides_of(dims);
    std::vector<int64_t> steps(out.size(), 0);
    const size_t lead = out.size() - dims.size();
    for (size_t i = 0; i < dims.size(); ++i)
        if (dims[i] != 1) steps[lead + i] = strides[i];
    return steps;
}

namespace {

// Joins neighbours that lie one after the other in every operand; dims of 1 vanish.
void join_dims(Dims& dims, std::vector<std::vector<int64_t>>& steps) {
    for (size_t d = dims.size(); d-- > 0;) {
        if (dims[d] != 1 || dims.size() == 1) continue;
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
        for (auto& s : steps) s.erase(s.begin() + static_cast<std::ptrdiff_t>(d));
    }
    for (size_t d = dims.size(); d-- > 1;) {
        if (!std::ranges::all_of(steps, [&](const auto& s) { return s[d - 1] == s[d] * dims[d]; })) continue;
        dims[d - 1] *= dims[d];
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
        for (auto& s : steps) {
            s[d - 1] = s[d];
            s.erase(s.begin() + static_cast<std::ptrdiff_t>(d));
        }
    }
}

}  // namespace

std::string walk(Emit& e, Dims dims, std::vector<std::vector<int64_t>> steps, std::string_view label) {
    if (dims.empty() || count_of(dims) == 0) {
        dims = {count_of(dims)};
        for (auto& s : steps) s = {0};
    }
    join_dims(dims, steps);
    if (dims.size() > 8) throw unsupported("a walk over {} dims", dims.size());
    steps.resize(3, std::vector<int64_t>(dims.size(), 0));
    e.source.kernel("walk_t");
    return "&" + e.source.structure("walk_t",
                                    fmt::format("    {}, {{{}}}, {{{}}}, {{{}}}, {{{}}}", dims.size(), fmt::join(dims, ", "),
                                                fmt::join(steps[0], ", "), fmt::join(steps[1], ", "), fmt::join(steps[2], ", ")),
                                    e.label(label));
}

std::string pair_walk(Emit& e) {
    const Dims& dims = e.out_dims();
    return walk(e, dims, {broadcast_steps(e.in_dims(0), dims), broadcast_steps(e.in_dims(1), dims)}, "walk");
}

std::string walk_as_given(Emit& e, Dims dims, Dims steps, std::string_view label) {
    if (dims.empty()) dims = {1}, steps = {0};
    if (dims.size() > 8) throw unsupported("a walk over {} groups of dims", dims.size());
    e.source.kernel("walk_t");
    return "&" + e.source.structure(
                     "walk_t",
                     fmt::format("    {}, {{{}}}, {{{}}}, {{0}}, {{0}}", dims.size(), fmt::join(dims, ", "), fmt::join(steps, ", ")),
                     e.label(label));
}

namespace {

// What a step of Kind::profile computes: its operators joined by +, "Mul+Softmax"; with the first profile that has it in front,
// "tflm:Gemm", where not all profiles compute so.
std::string profile_form(const Step& step) {
    const auto in_profile = [&](const Profile& profile) {
        const auto found =
            std::ranges::find_if(profile.rows, [&](const ProfileRow& row) { return row.eval == step.eval && step.first().is(row.op); });
        return found == profile.rows.end() ? nullptr : &*found;
    };
    const ProfileRow* row = step.row;
    std::string form(row->op.name);
    for (const ProfileLink& link : row->links) form += fmt::format("+{}", link.op.name);
    std::string first;
    bool all = true;
    for (const Profile& profile : all_profiles()) {
        if (profile.name == "onnx" || profile.name == "ggml" || profile.rows.empty())
            continue;  // those of TensorFlow Lite and its kin share forms
        const bool has = in_profile(profile) != nullptr;
        if (has && first.empty()) first = profile.name;
        all &= has;
    }
    return all ? form : first + ":" + form;
}

}  // namespace

namespace {

std::vector<size_t> wanted_outputs(const Emit& e) {
    std::vector<size_t> out;
    for (size_t i = 0; i < e.node.out.size(); ++i)
        if (e.wants(i)) out.push_back(i);
    return out;
}

}  // namespace

Kind kind_of(const Step& step) {
    switch (step.how) {
        case StepArithmetic::profile: return Kind::profile;
        case StepArithmetic::onnx: return Kind::codes;
        default: return has(step.first().op->traits, Trait::data_movement) ? Kind::movement : Kind::real;
    }
}

void emit_step(Emit& e) {
    const auto is_empty = [&](size_t i) { return e.out_count(i) == 0; };
    const auto outputs = wanted_outputs(e);
    if (outputs.empty() || emit_control(e)) return;
    if (std::ranges::all_of(outputs, is_empty)) return;
    if (emit_table(e) || emit_movement(e)) return;
    if (std::ranges::any_of(outputs, is_empty)) throw unsupported("an output has no elements");
    const Kind kind = kind_of(e.step);
    if (kind == Kind::profile && !e.step.row->text.kernel.empty()) return emit_text(e, e.step.row->text);
    const std::string name = kind == Kind::profile ? profile_form(e.step) : std::string(e.node.op->name);
    for (const auto family :
         {conv_rows(), matrix_rows(), quantized_rows(), arithmetic_rows(), attention_rows(), profile_rows(), qlinear_rows(),
          elementwise_rows(), movement_rows(), reduce_rows(), float_rows(), select_rows(), recurrent_rows(), svdf_rows()})
        for (const EmitRow& row : family)
            if (row.op == name && row.domain == e.node.op->domain &&
                (row.kind == kind || (row.kind == Kind::real && kind == Kind::movement))) {
                row.emit(e);
                e.finish();
                return;
            }
    if (kind == Kind::real && !e.node.op->formula.empty()) {
        emit_formula(e);
        return e.finish();
    }
    throw unsupported("there is no C for this operator{}", kind == Kind::profile ? " on codes, as " + name : "");
}

namespace {

// "Conv + Relu".
std::string operators_of(const Step& step) {
    std::vector<std::string> names;
    for (const Node* node : step.nodes) names.emplace_back(node->op->name);
    return join(names, " + ");
}

// A loop computes nothing itself, and who moves numbers as they are computes nothing either.
bool computes(Emit& e) {
    if (!e.step.bodies.empty()) return false;
    const auto coded = [&](ValueId id) { return e.f.encoding(id) != nullptr; };
    return kind_of(e.step) != Kind::movement || std::ranges::any_of(e.node.in, coded) || std::ranges::any_of(e.node.out, coded);
}

// Why its C has floats, if it has.
std::string why_float(Emit& e) {
    const CompileOptions& options = e.f.program().options();
    if (!computes(e)) return {};
    if (options.mode != Mode::integer) return "the model is computed in float";
    if (!e.step.real.empty()) return e.step.real;
    const Graph& graph = e.f.program().graph();
    const auto real = [&](ValueId id) {
        return id != ValueId::none && !graph.value(id).constant() && !e.f.encoding(id) && is_float(e.f.held(id));
    };
    if (std::ranges::any_of(e.node.in, real) || std::ranges::any_of(e.step.last().out, real))
        return "its operands or its result are real numbers";
    const bool own = e.step.how == StepArithmetic::profile;
    return fmt::format("profile {} has floats beside its codes", own ? options.profile->name : "onnx");
}

// `begin`: of its statements.
void add_layer(Emit& e, size_t begin) {
    Listing& listing = e.f.listing();
    Layer layer{.name = e.step.path + e.node.name, .op = operators_of(e.step), .real = why_float(e)};
    layer.calls = calls_in(std::string_view(listing.text).substr(begin));
    if (const auto outputs = wanted_outputs(e); !outputs.empty()) {
        layer.type = name_of(e.f.held(e.out_id(outputs[0])));
        layer.dims = e.out_dims(outputs[0]);
    }
    for (const Node* node : e.step.nodes) layer.macs += node_macs(e.f.program().graph(), *node).value_or(0);
    layer.parameters = e.source.constant_bytes() - listing.counted;
    listing.counted += layer.parameters;
    listing.layers.push_back(std::move(layer));
}

}  // namespace

void Listing::find_floats(const std::set<std::string>& functions) {
    for (Layer& layer : layers)
        if (std::ranges::none_of(layer.calls, [&](const auto& call) { return functions.contains(call.first); })) layer.real.clear();
}

void emit_steps(Function& function) {
    for (const Step& step : function.program().steps()) {
        function.begin_step();
        ++function.listing().nodes;
        const size_t begin = function.listing().text.size();
        try {
            Emit e(function, step, step.first());
            function.statement(fmt::format("/* {} \"{}\" */", operators_of(step), comment_text(step.first().name)));
            emit_step(e);
            add_layer(e, begin);
        } catch (const Error& error) {
            if (error.exit() != Exit::unsupported) throw;
            const std::string body = step.path.empty() ? "" : fmt::format("in \"{}\", ", escape(step.path));
            function.listing().refusals.push_back(fmt::format("{}{}: {}", body, described(step.first()), error.message()));
        }
    }
}

}  // namespace quern::cgen
