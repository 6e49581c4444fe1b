#include "libcore/conformance/part_check.h"

#include <algorithm>

#include "libcore/backend/builtin.h"
#include "libcore/backend/view.h"
#include "libcore/base/text.h"
#include "libcore/conformance/calls.h"

namespace quern::conformance {
namespace {

void check_port(const Port& port, const Value& value, std::string_view what) {
    const auto place = [&](const std::string& text) { return fault("describe: {} \"{}\" {}", what, escape(value.name), text); };
    if (port.name != value.name) throw place(fmt::format("is called \"{}\"", escape(port.name)));
    if (port.type.dtype != value.type.dtype)
        throw place(fmt::format("is {}, the partition's is {}", name_of(port.type.dtype), name_of(value.type.dtype)));
    const Shape &own = port.type.shape, &wanted = value.type.shape;
    bool fits = !own.ranked || !wanted.ranked || own.rank() == wanted.rank();
    for (size_t d = 0; fits && own.ranked && wanted.ranked && d < own.rank(); ++d)
        fits = !own.dims[d].known() || !wanted.dims[d].known() || own.dims[d] == wanted.dims[d];
    if (!fits) throw place(fmt::format("has shape {}, the partition's has {}", to_string(own), to_string(wanted)));
    if (port.encoding && !value.enc) throw place("is quantized, the partition's is not");
    if (port.encoding && port.encoding->storage != value.enc->storage)
        throw place(fmt::format("is stored as {}, the partition's as {}", name_of(port.encoding->storage), name_of(value.enc->storage)));
}

void check_ports(const std::vector<Port>& ports, const Graph& graph, const std::vector<ValueId>& values, std::string_view what) {
    if (ports.size() != values.size()) throw fault("describe has {} {}s, the partition has {}", ports.size(), what, values.size());
    for (size_t i = 0; i < ports.size(); ++i) check_port(ports[i], graph.value(values[i]), what);
}

// What ref makes of it; nothing if it refuses the numbers.
std::optional<std::vector<Stored>> wanted(BackendSession& reference, const Inputs& inputs) {
    try {
        return reference.run(inputs);
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return std::nullopt;
    }
}

std::optional<std::vector<Stored>> tried(BackendSession& session, const Inputs& inputs, bool must) {
    if (must) return session.run(inputs);
    try {
        return session.run(inputs);
    } catch (const Error& error) {
        if (error.exit() == Exit::unsupported) throw;
        return std::nullopt;
    }
}

struct SomePart {
    std::string subject;
    Part part;
};
std::vector<SomePart> some_parts(const Context& context, size_t max, bool large) {
    const auto all = cases_by_subject(context);
    std::vector<CaseId> firsts;
    for (const CaseId& id : context.claimed)
        if (const auto& cases = all.at(id.subject()); id == cases.front()) firsts.push_back(large ? cases.back() : id);
    std::vector<SomePart> out;
    const size_t step = std::max<size_t>(1, firsts.size() / max);
    for (size_t i = 0; i < firsts.size() && out.size() < max; i += step)
        for (Part& part : parts_of_case(context, firsts[i])) {
            if (part.graph.inputs.empty()) continue;
            out.push_back({firsts[i].subject(), std::move(part)});
            break;
        }
    return out;
}

}  // namespace

std::shared_ptr<Instance> instance_of(const Context& context) {
    return std::make_shared<Instance>(context.table, context.settings.name, context.settings.options);
}

Bytes compiled(Instance& instance, const Part& part) {
    SpoolFile spool;
    instance.compile(part.graph, part.options, spool.file());
    return spool.finish();
}

std::shared_ptr<Executable> loaded(Instance& instance, const Part& part) {
    auto executable = instance.load(compiled(instance, part));
    check_ports(executable->inputs(), part.graph, part.graph.inputs, "input");
    check_ports(executable->outputs(), part.graph, part.graph.outputs, "output");
    return executable;
}

std::shared_ptr<Executable> on_reference(const Part& part) {
    static const auto ref = std::make_shared<Instance>(*builtin_backend("ref"), "ref", "");
    Part plain = part;
    plain.options.reference = true;
    return ref->load(compiled(*ref, plain));
}

void check_same(const Part& part, const std::vector<Stored>& got, const std::vector<Stored>& before, std::string_view what) {
    for (size_t i = 0; i < got.size(); ++i) {
        if (identical(got[i].tensor, before[i].tensor)) continue;
        const Value& value = part.graph.value(part.graph.outputs[i]);
        const Port port{value.name, value.type, value.enc};
        const std::string apart = difference(got[i], before[i], port, {.tolerance = 0});
        throw fault("{} gives another result: value {}", what, apart.empty() ? fmt::format("\"{}\"", escape(value.name)) : apart);
    }
}

void check_results(const Context& context, const Part& part, const std::vector<Stored>& got, const std::vector<Stored>& want) {
    for (size_t i = 0; i < want.size(); ++i) {
        const Value& value = part.graph.value(part.graph.outputs[i]);
        const std::string apart = difference(got[i], want[i], {value.name, value.type, value.enc}, context.settings.verification);
        if (!apart.empty()) throw fault("value {}", apart);
    }
}

void check_part(const Context& context, const Part& part, bool compared) {
    const auto instance = instance_of(context);
    const auto executable = loaded(*instance, part), reference = on_reference(part);
    const auto session = executable->open({.guarded = true}), model = reference->open({});
    std::vector<std::optional<std::vector<Stored>>> results;
    for (const Inputs& inputs : part.samples) {
        const auto want = wanted(*model, inputs);
        results.push_back(tried(*session, inputs, want.has_value()));
        if (compared && want && results.back()) check_results(context, part, *results.back(), *want);
    }
    for (size_t i = 0; i < results.size(); ++i)
        if (results[i]) check_same(part, session->run(part.samples[i]), *results[i], "a second run");
}

std::vector<bool> taken_nodes(const Context& context, const Graph& graph, const CompileOptions& options) {
    const Calls calls(context);
    const GraphView view(graph);
    const std::string text = compile_options_json(options);
    std::vector<bool> taken;
    for (const NodeId id : graph.order()) {
        const auto ask = [&] { return context.table.supports(calls.handle(), view.get(), view.node(id), text.c_str()); };
        const quern_status answer = calls.status("supports", ask);
        if (answer != QUERN_OK && answer != QUERN_UNSUPPORTED) throw fault("supports failed with status {}, neither yes nor no", answer);
        if (calls.status("supports", ask) != answer) throw fault("supports answers otherwise when it is asked again");
        taken.push_back(answer == QUERN_OK);
    }
    return taken;
}

std::vector<Part> parts_of_case(const Context& context, const CaseId& id) {
    const auto random = random_case(id, context.settings.seed);
    if (!random) throw bug("{}: is not drawn again", id.text());
    return parts_of(*random, taken_nodes(context, random->graph, options_of(id.codes)), id.codes);
}

std::optional<std::vector<Part>> random_parts(const Context& context, size_t number, bool codes) {
    std::vector<const Op*> ops;
    for (const auto& [subject, cases] : cases_by_subject(context))
        if (const Op* op = op_of(cases[0].op); op && cases[0].codes == codes) ops.push_back(op);
    if (ops.empty()) return std::nullopt;
    const uint64_t seed = context.settings.seed + number;
    random_graphs::Draw draw(seed);
    std::vector<const Op*> some;
    while (some.size() < 5) some.push_back(draw.pick(ops));
    const auto random = random_graph(some, codes, seed);
    if (!random) return std::nullopt;
    return parts_of(*random, taken_nodes(context, random->graph, options_of(codes)), codes);
}

std::map<std::string, std::vector<CaseId>> cases_by_subject(const Context& context) {
    std::map<std::string, std::vector<CaseId>> out;
    for (const CaseId& id : context.claimed) out[id.subject()].push_back(id);
    return out;
}

namespace {

std::string each_part(const Context& context, const std::vector<CaseId>& cases, PartBody body) {
    size_t count = 0;
    for (const CaseId& id : cases)
        for (Part& part : parts_of_case(context, id)) {
            const std::string inputs = inputs_text(part.graph);
            set_place(fmt::format("{} ({})", id.text(), inputs));
            count += at_place(fmt::format("graph {} ({})", id.graph(), inputs), [&] { return body(context, part); });
        }
    return fmt::format("{} graphs", count);
}

}  // namespace

std::vector<Step> steps_of_subjects(const Context& context, PartBody body, const std::function<bool(const CaseId& first)>& wanted) {
    std::vector<Step> steps;
    for (const auto& [subject, cases] : cases_by_subject(context))
        if (wanted(cases[0])) steps.push_back({subject, [&context, body, cases = cases] { return each_part(context, cases, body); }});
    return steps;
}

std::vector<Step> steps_of_parts(const Context& context, size_t max, bool large,
                                 std::function<std::string(const Context& context, const Part& part)> body) {
    return {{"", [&context, max, large, body = std::move(body)] {
                 std::string remark = "no graphs";
                 for (const SomePart& some : some_parts(context, max, large)) {
                     const std::string place = fmt::format("{} ({})", some.subject, inputs_text(some.part.graph));
                     set_place(place);
                     at_place(place, [&] { remark = body(context, some.part); });
                 }
                 return remark;
             }}};
}

}  // namespace quern::conformance
