#include "libcore/runs/state.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/passes/shared.h"

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
    std::vector<std::string> names(ids.size());
    std::transform(ids.begin(), ids.end(), names.begin(), [&](const ValueId id) { return graph.value(id).name; });
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

// Is it nothing, or a constant that stands for zeros, perhaps with a dim for directions?
bool begins_at_zero(const Graph& graph, ValueId id) {
    if (id == ValueId::none) return true;
    if (const Node* shaped = made_by(graph, id, ops::Unsqueeze)) id = shaped->in[0];
    const auto constant = graph.constant(id);
    if (!constant || constant->dtype == DType::string) return false;
    const auto& enc = graph.value(id).enc;
    const auto items = to_floats(enc ? dequantize(*constant, *enc) : *constant);
    return std::all_of(items.begin(), items.end(), [](float item) { return item == 0; });
}

// Input `in` of a recurrent node comes from the sample before, where output `out` has left it.
ExposedState expose(Graph& graph, NodeId id, size_t in, size_t out, std::string_view what) {
    Node& node = graph.node(id);
    const std::string name = graph.unique_name(fmt::format("{}/{}", node.name, what));
    if (node.out.size() <= out) node.out.resize(out + 1, ValueId::none);
    if (node.out[out] == ValueId::none) {
        node.out[out] = graph.add_value(graph.unique_name(name + "_out"), {});
        graph.value(node.out[out]).producer = id;
    }
    infer_types(graph);
    const ValueId before = graph.add_value(name, graph.value(node.out[out]).type);
    if (node.in.size() <= in) node.in.resize(in + 1, ValueId::none);
    if (node.in[in] != ValueId::none) graph.value(before).enc = graph.value(node.in[in]).enc;
    node.in[in] = before;
    graph.inputs.push_back(before);
    graph.outputs.push_back(node.out[out]);
    return {before, node.out[out], {}};
}

// A State node becomes an input of its name.
ExposedState expose_variable(Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const ValueId value = node.out[0], next = graph.find(NodeView(node).text("next"));
    const std::string name = graph.value(value).name;
    if (next == ValueId::none) throw unsupported("what continues the state \"{}\" is not in the model any more", escape(name));
    const auto constant = graph.constant(node.in[0]);
    if (!constant) throw unsupported("the state \"{}\" begins with what is computed", escape(name));
    const auto& enc = graph.value(node.in[0]).enc;
    ExposedState made{value, next, enc ? dequantize(*constant, *enc) : *constant};
    graph.erase(id);
    graph.inputs.push_back(value);
    graph.outputs.push_back(next);
    return made;
}

}  // namespace

std::vector<ExposedState> expose_state(Graph& graph) {
    std::vector<ExposedState> exposed;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        if (node.is(ops::own::State)) {
            exposed.push_back(expose_variable(graph, id));
            continue;
        }
        const bool lstm = node.is(ops::LSTM);
        if (!lstm && !node.is(ops::GRU, ops::RNN)) continue;
        const bool ends = std::any_of(node.out.begin() + std::min<std::ptrdiff_t>(1, std::ssize(node.out)), node.out.end(),
                                      [](ValueId out) { return out != ValueId::none; });
        if (ends || !begins_at_zero(graph, input_of(node, 5)) || (lstm && !begins_at_zero(graph, input_of(node, 6)))) continue;
        exposed.push_back(expose(graph, id, 5, 1, "h"));
        if (lstm) exposed.push_back(expose(graph, id, 6, 2, "c"));
    }
    return exposed;
}

StatePlan plan_states(const Graph& graph, bool by_name, const std::vector<std::string>& pairs, const std::vector<ExposedState>& exposed) {
    StatePlan plan;
    for (const ExposedState& state : exposed) {
        const auto place = [](const std::vector<ValueId>& ids, ValueId id) {
            return static_cast<size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
        };
        plan.loops.emplace_back(place(graph.inputs, state.in), place(graph.outputs, state.out));
        if (state.first.defined()) plan.first[plan.loops.back().first] = state.first;
    }
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

namespace {

// Does the graph take such a state, with a batch of 1 in the other inputs?
bool takes(const Graph& graph, ValueId state, const Dims& dims) {
    Graph tried = graph;
    for (const ValueId input : tried.inputs) {
        Shape& shape = tried.value(input).type.shape;
        if (shape.ranked && shape.rank() > 0 && !shape.dims[0].known()) shape.dims[0] = Dim::of(1);
    }
    tried.value(state).type.shape = Shape::of(dims);
    try {
        infer_types(tried);
    } catch (const Error& error) {
        if (error.exit() != Exit::bad_input) throw;
        return false;
    }
    return true;
}

// Open dims are 1 where they are the batch; others have the size of the state that follows, if that is known, else 0 (an empty cache), or 1
// where the graph cannot take that.
Dims first_dims(const Graph& graph, ValueId in, ValueId out) {
    const Shape &shape = graph.value(in).type.shape, &next = graph.value(out).type.shape;
    Dims dims, ones;
    for (size_t d = 0; d < shape.rank(); ++d) {
        const Dim& dim = shape.dims[d];
        const bool follows = next.ranked && next.rank() == shape.rank() && next.dims[d].known();
        const bool open = !dim.known() && !is_batch(graph, dim, d) && !follows;
        dims.push_back(dim.known() ? dim.value : open ? 0 : follows ? next.dims[d].value : 1);
        ones.push_back(open ? 1 : dims.back());
    }
    return dims != ones && !takes(graph, in, dims) && takes(graph, in, ones) ? ones : dims;
}

}  // namespace

std::vector<Tensor> StatePlan::initial(const Graph& graph) const {
    std::vector<Tensor> state;
    for (const auto& [in, out] : loops) {
        const Type& type = graph.value(graph.inputs[in]).type;
        const auto& own = graph.value(graph.inputs[in]).name;
        if (const auto begin = first.find(in); begin != first.end()) {
            state.push_back(begin->second);
            continue;
        }
        if (!type.shape.ranked || bits_of(type.dtype) == 0)
            throw unsupported("state \"{}\" is {}: it has no zero", escape(own), to_string(type));
        const Dims dims = first_dims(graph, graph.inputs[in], graph.outputs[out]);
        state.push_back(from_ints(type.dtype, dims, std::vector<int64_t>(static_cast<size_t>(count_of(dims)), 0)));
    }
    return state;
}

StatePlan asked_states(Graph& graph, bool stateful, const std::vector<std::string>& pairs) {
    const auto exposed = stateful ? expose_state(graph) : std::vector<ExposedState>();
    return plan_states(graph, stateful, pairs, exposed);
}

std::vector<InputSpec> fed_specs(const Graph& graph, const StatePlan& plan) {
    const std::vector<InputSpec> all = input_specs(graph);
    std::vector<InputSpec> fed;
    for (const size_t i : plan.fed) fed.push_back(all[i]);
    return fed;
}

}  // namespace quern
