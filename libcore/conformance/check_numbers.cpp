// What the back end takes, and whether it computes it right.
#include <algorithm>
#include <map>

#include "libcore/base/text.h"
#include "libcore/conformance/calls.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"
#include "libcore/conformance/pattern.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"

namespace quern::conformance {
namespace {

// By its name, or of a unit by its first operator's.
bool wanted(const Settings& settings, const std::string& unit) {
    const auto is = [&](const std::string& name) { return std::ranges::find(settings.ops, name) != settings.ops.end(); };
    return settings.ops.empty() || is(unit) || is(unit.substr(0, unit.find('+')));
}

// Is somebody waiting for graphs of it? Of a library's operator, and of what a pattern was given for.
bool must_be_drawn(const std::string& name) {
    const Op* op = op_of(name);
    return !random_graphs::added_hints(name).empty() || (op && find_registered_op(op->name, op->domain));
}

// The cases of one operator of which something is taken, a line each.
std::string claimed_cases(const Context& context, const std::string& op) {
    std::vector<std::string> claimed;
    const bool unit = is_unit(op);  // one step in int mode alone
    size_t graphs = 0;
    for (const bool codes : {false, true})
        for (const CaseId& id : unit && !codes ? std::vector<CaseId>{} : cases_of(op, codes, context.settings.cases)) {
            if (id.is_large() && claimed.empty()) continue;  // which takes its time to be drawn
            set_place(id.text());
            const auto random = random_case(id, context.settings.seed);
            if (!random) continue;
            ++graphs;
            set_place(fmt::format("{} ({})", id.text(), inputs_text(random->graph)));
            const std::vector<bool> taken = taken_nodes(context, random->graph, options_of(codes));
            if (!parts_of(*random, taken, codes).empty()) claimed.push_back(id.text());
        }
    if (graphs == 0 && must_be_drawn(op)) throw fault("no graph of it could be drawn: say what it takes by --draw");
    return join(claimed, "\n");
}

bool check_values(const Context& context, Part& part) {
    part.samples.push_back(turned_round(part.samples[0]));
    check_part(context, part);
    return true;
}

// Where numbers go through one by one, each has one meaning, but for NaN, which a maximum may drop; what sums, sorts or rounds to integers
// makes of infinities is the device's own. All has to come back, twice with the same bits.
bool has_one_meaning(const Graph& graph) {
    const auto stays = [](DType dtype) { return is_float(dtype) || dtype == DType::boolean; };
    for (const NodeId id : graph.order())
        if (!has(graph.node(id).op->traits, Trait::elementwise) && !has(graph.node(id).op->traits, Trait::data_movement)) return false;
    return std::ranges::all_of(graph.outputs, [&](ValueId id) { return graph.value(id).enc || stays(graph.value(id).type.dtype); });
}

// By ONNX's text a bound that is absent is the largest number of the type, by its meaning there is none.
bool has_open_clip(const Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        return node.is(ops::Clip) && (node.in.size() < 3 || node.in[1] == ValueId::none || node.in[2] == ValueId::none);
    });
}

bool check_hostile(const Context& context, Part& part) {
    const bool codes = part.options.mode == Mode::integer;
    Part with_nan = part;
    part.samples.push_back(hostile(part.samples[0], codes || has_open_clip(part.graph) ? Hostile::finite : Hostile::infinite));
    check_part(context, part, has_one_meaning(part.graph));
    with_nan.samples.push_back(hostile(part.samples[0], Hostile::nan));
    if (!codes) check_part(context, with_nan, false);
    return true;
}

// ---- shapes ----

// An elementwise operator of inputs of one shape, which may be any.
bool takes_any_shape(const Graph& graph) {
    if (graph.order().size() != 1 || graph.inputs.empty()) return false;
    const Node& node = graph.node(graph.order()[0]);
    const auto same = [&](ValueId id) { return graph.is_input(id) && graph.value(id).type == graph.value(graph.inputs[0]).type; };
    return has(node.op->traits, Trait::elementwise) && std::ranges::all_of(node.in, same);
}

Tensor reshaped(const Tensor& from, const Dims& dims) {
    const std::vector<double> numbers = to_doubles(from);
    std::vector<double> out(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < out.size(); ++i) out[i] = numbers[i % numbers.size()];
    return from_doubles(from.dtype, dims, out);
}

// The same with another shape; the samples have these dims.
Part with_shape(const Part& part, const Shape& shape, const std::vector<Dims>& samples) {
    Part out{part.graph, {}, part.options};
    for (const ValueId id : out.graph.inputs) out.graph.value(id).type.shape = shape;
    for (const ValueId id : out.graph.node(out.graph.order()[0]).out)
        if (id != ValueId::none) out.graph.value(id).type = Type{};
    infer_types(out.graph);
    for (const Dims& dims : samples) {
        Inputs inputs = part.samples[0];
        for (Stored& stored : inputs) stored.tensor = reshaped(stored.tensor, dims);
        out.samples.push_back(std::move(inputs));
    }
    return out;
}

bool check_shapes(const Context& context, Part& part) {
    if (!takes_any_shape(part.graph) || part.samples[0][0].tensor.count() == 0) return false;
    std::vector<Part> shaped;
    for (const Dims& dims : std::vector<Dims>{{}, {1}, {7}, {0}, {2, 0, 3}, {1, 1, 1, 1}, {2, 3, 4, 5}, {3, 17, 33}})
        shaped.push_back(with_shape(part, Shape::of(dims), {dims, dims}));
    shaped.push_back(with_shape(part, Shape::of_rank(2), {{2, 3}, {5, 1}, {0, 4}}));
    shaped.push_back(with_shape(part, Shape::of_dims({Dim::named("n"), Dim::of(3)}), {{4, 3}, {1, 3}}));
    bool any = false;
    for (const Part& one : shaped) {
        const std::string place = inputs_text(one.graph);
        set_place(place);
        const std::vector<bool> taken = taken_nodes(context, one.graph, one.options);
        if (!std::ranges::all_of(taken, [](bool is) { return is; })) continue;
        at_place(place, [&] { check_part(context, one); });
        any = true;
    }
    return any;
}

// ---- several nodes ----

std::string check_graph(const Context& context, size_t number, bool codes) {
    auto parts = random_parts(context, number, codes);
    if (!parts) return "not drawn";
    size_t nodes = 0;
    for (Part& part : *parts) {
        const std::string place = fmt::format("{} ({})", nodes_text(part.graph), inputs_text(part.graph));
        set_place(place);
        at_place(place, [&] { check_values(context, part); });
        nodes = std::max(nodes, part.graph.order().size());
    }
    return fmt::format("a partition of {} nodes", nodes);
}

}  // namespace

std::vector<std::string> subjects_to_try(const Settings& settings) {
    std::vector<std::string> names;
    for (const Op* op : ops_to_try()) names.push_back(full_name(*op));
    for (const std::string& unit : units_to_try()) names.push_back(unit);
    std::erase_if(names, [&](const std::string& name) { return !wanted(settings, name); });
    return names;
}

std::vector<Step> claims_steps(const Context& context) {
    std::vector<Step> steps;
    for (const std::string& name : subjects_to_try(context.settings))
        steps.push_back({name, [&context, name] { return claimed_cases(context, name); }});
    return steps;
}

std::vector<Step> values_steps(const Context& context) { return steps_of_subjects(context, check_values); }
std::vector<Step> hostile_steps(const Context& context) { return steps_of_subjects(context, check_hostile); }
std::vector<Step> shapes_steps(const Context& context) {
    return steps_of_subjects(context, check_shapes, [](const CaseId& id) {
        const Op* op = op_of(id.op);
        return op && !id.codes && has(op->traits, Trait::elementwise);
    });
}

std::vector<Step> partitions_steps(const Context& context) {
    std::vector<Step> steps;
    for (const bool codes : {false, true})
        for (size_t number = 0; number < 4; ++number)
            steps.push_back({fmt::format("graph {} {}", number, codes ? "int" : "float"),
                             [&context, number, codes] { return check_graph(context, number, codes); }});
    return steps;
}

std::vector<CaseId> claims_in(const std::string& remark) {
    std::vector<CaseId> out;
    for (const std::string& line : split(remark, '\n')) out.push_back(CaseId::of(line));
    return out;
}

}  // namespace quern::conformance
