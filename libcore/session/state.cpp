#include "libcore/session/state.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"

namespace quern {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return text;
}

// What an output that continues the state `input` may be called.
std::set<std::string> continuations(const std::string& input) {
    std::set<std::string> names;
    for (const char* suffix : {"N", "_n", "_out", "_output", "_new", "_next", ".out", "Out", "_o"}) names.insert(input + suffix);
    for (const char* prefix : {"new_", "next_", "out_", "output_"}) names.insert(prefix + input);
    names.insert(replaced(input, "_in", "_out"));
    names.insert(replaced(input, "past_key_values", "present"));
    names.insert(replaced(input, "past_key_values", "present_key_values"));
    names.insert(replaced(input, "past", "present"));
    names.erase(input);
    return names;
}

size_t position_of(const Graph& graph, const std::vector<ValueId>& ids, const std::string& name, std::string_view what) {
    std::vector<std::string> names;
    for (const ValueId id : ids) names.push_back(graph.value(id).name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw usage_error("--state: the model has no {} \"{}\"{}", what, escape(name), did_you_mean(name, names));
    return static_cast<size_t>(found - names.begin());
}

void add_by_name(const Graph& graph, StatePlan& plan) {
    for (size_t in = 0; in < graph.inputs.size(); ++in) {
        if (std::any_of(plan.loops.begin(), plan.loops.end(), [&](const auto& loop) { return loop.first == in; })) continue;
        const Value& input = graph.value(graph.inputs[in]);
        const auto names = continuations(input.name);
        for (size_t out = 0; out < graph.outputs.size(); ++out) {
            const Value& output = graph.value(graph.outputs[out]);
            if (!names.contains(output.name) || output.type.dtype != input.type.dtype) continue;
            plan.loops.emplace_back(in, out);
            break;
        }
    }
}

// Is a dim the batch: the first of this or, by its symbol, of any input?
bool is_batch(const Graph& graph, const Dim& dim, size_t position) {
    if (position == 0) return true;
    return !dim.symbol.empty() && std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](ValueId id) {
        const Shape& shape = graph.value(id).type.shape;
        return shape.ranked && shape.rank() > 0 && shape.dims[0].symbol == dim.symbol;
    });
}

}  // namespace

StatePlan plan_states(const Graph& graph, bool by_name, const std::vector<std::string>& pairs) {
    StatePlan plan;
    for (const std::string& pair : pairs) {
        const size_t equal = pair.find('=');
        if (equal == std::string::npos) throw usage_error("--state \"{}\": need INPUT=OUTPUT", escape(pair));
        const size_t in = position_of(graph, graph.inputs, pair.substr(0, equal), "input");
        plan.loops.emplace_back(in, position_of(graph, graph.outputs, pair.substr(equal + 1), "output"));
    }
    if (by_name) add_by_name(graph, plan);
    if (by_name && plan.loops.empty())
        throw usage_error("--stateful: no input and output of the model belong together by their names")
            .with_hint("name them: --state INPUT=OUTPUT");
    for (size_t in = 0; in < graph.inputs.size(); ++in)
        if (std::none_of(plan.loops.begin(), plan.loops.end(), [&](const auto& loop) { return loop.first == in; })) plan.fed.push_back(in);
    return plan;
}

std::vector<Tensor> StatePlan::initial(const Graph& graph) const {
    std::vector<Tensor> state;
    for (const auto& [in, out] : loops) {
        const Type& type = graph.value(graph.inputs[in]).type;
        const auto& own = graph.value(graph.inputs[in]).name;
        if (!type.shape.ranked || bits_of(type.dtype) == 0)
            throw unsupported("state \"{}\" is {}: it has no zero", escape(own), to_string(type));
        Dims dims;
        for (size_t d = 0; d < type.shape.rank(); ++d)
            dims.push_back(type.shape.dims[d].known() ? type.shape.dims[d].value : is_batch(graph, type.shape.dims[d], d) ? 1 : 0);
        state.push_back(from_ints(type.dtype, dims, std::vector<int64_t>(static_cast<size_t>(count_of(dims)), 0)));
    }
    return state;
}

}  // namespace quern
