#include "libcore/quant/plan/recurrent.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/edit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/passes/shared.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

using namespace recurrent_operands;
constexpr size_t all_cells = 3;  // the result with the cells of all steps
constexpr int most_power = 6;    // cells are kept below 2^6, where tanh is 1

float greatest(const Node& node, const ValueRange& cells) {
    const float most = std::max(std::abs(cells.min), std::abs(cells.max)), clip = NodeView(node).real("cell_clip");
    return clip > 0 ? std::min(most, clip) : most;
}

// The least power of two, 1 at least, that no cell exceeds.
int power_above(float most) {
    int exponent = 0;
    const float mantissa = std::frexp(most, &exponent);
    return std::max(0, mantissa == 0.5f ? exponent - 1 : exponent);
}

// By onnxruntime's rules; other runtimes have other forms, or none.
std::string lstm_obstacle_at_run_time(const Node& node, const Scheme& scheme, const Recipe& recipe) {
    const NodeView view(node);
    if (&recipe != &recipe_named("onnx") || scheme.activation != DType::u8) return "has no weight that this type quantizes";
    if (!scheme.weight_symmetric) return "an LSTM that is quantized at run time has symmetric weights";
    if (scheme.weight != DType::i8) return "an LSTM that is quantized at run time has weights of 8 bits";
    if (view.integer("layout") != 0) return "an LSTM that is quantized at run time has its steps first";
    if (view.has("cell_clip") && view.real("cell_clip") != 0) return "an LSTM that is quantized at run time does not clip its cells";
    if (input_of(node, lengths_at) != ValueId::none) return "its sequences have lengths of their own";
    return {};
}

std::string hybrid_obstacle(const Node& node, const Scheme& scheme, const Recipe& recipe) {
    if (!is_hybrid_recurrent(node, recipe)) return fmt::format("TensorFlow Lite has no operator {} beside int8 weights", node.op->name);
    if (scheme.weight != DType::i8 || !scheme.weight_symmetric) return "beside float data its weights are symmetric int8";
    return {};
}

}  // namespace

bool is_lstm(const Node& node) { return node.is(ops::LSTM); }

ValueId first_result(const Node& node) {
    const auto found = std::find_if(node.out.begin(), node.out.end(), [](ValueId id) { return id != ValueId::none; });
    return found == node.out.end() ? ValueId::none : *found;
}

std::optional<Dims> lstm_state_dims(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const Shape &x = graph.value(node.in[0]).type.shape, &r = graph.value(node.in[recurrence_at]).type.shape;
    const bool batch_first = view.integer("layout") == 1;
    if (!x.ranked || x.rank() != 3 || !r.ranked || r.rank() != 3 || !r.dims[2].known()) return std::nullopt;
    const Dim batch = x.dims[batch_first ? 0 : 1];
    if (!batch.known()) return std::nullopt;
    return batch_first ? Dims{batch.value, 1, r.dims[2].value} : Dims{1, batch.value, r.dims[2].value};
}

int cell_power(const Node& node, const ValueRange& cells) { return power_above(greatest(node, cells)); }

std::string cell_key(std::string_view result) { return std::string(result) + ":cell"; }

Graph with_cells(const Graph& graph) {
    Graph own = graph;
    for_each_graph(own, [](Graph& part, const std::string&) {
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            if (!is_lstm(part.node(id)) || part.node(id).out.size() > all_cells) continue;
            const ValueId result = first_result(part.node(id));
            const std::string name = result == ValueId::none ? std::string() : cell_key(part.value(result).name);
            if (name.empty() || part.unique_name(name) != name) continue;
            const ValueId cells = part.add_value(name, Type::tensor(DType::f32, Shape{}));
            part.node(id).out.resize(all_cells, ValueId::none);
            part.node(id).out.push_back(cells);
            part.value(cells).producer = id;
        }
    });
    return own;
}

std::string lstm_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const ValueRange* cells) {
    const NodeView view(node);
    if (scheme.activation != DType::i8 || scheme.weight != DType::i8) return "LSTM has a form on int8 codes only";
    if (direction_count(view) != 1 || view.text("direction") != "forward" || view.integer("input_forget") != 0 || view.has("activations") ||
        view.has("clip") || input_of(node, lengths_at) != ValueId::none || input_of(node, peepholes_at) != ValueId::none)
        return "LSTM has a form on codes only as one plain forward layer";
    const ValueId bias = input_of(node, bias_at);
    if (!is_plain_constant(graph, node.in[weights_at]) || !is_plain_constant(graph, node.in[recurrence_at]) ||
        (bias != ValueId::none && !is_plain_constant(graph, bias)))
        return "its weights are not constant";
    if (!is_plain_zero(graph, input_of(node, hidden_at)) || !is_plain_zero(graph, input_of(node, cell_at))) return "it has a first state";
    for (size_t i = 0; i < node.out.size(); ++i)
        if (node.out[i] == ValueId::none ? i == 0 : i > 0 && !graph.uses(node.out[i]).empty())
            return "on codes it gives the results of all steps only, and no last state";
    if (!lstm_state_dims(graph, node)) return "its batch is not fixed";
    if (!cells || cells->count == 0) return "its cells were not observed: the ranges were collected by an older version or another tool";
    if (cell_power(node, *cells) > most_power)
        return fmt::format("its cells reach {:g}, and int16 codes {:g}", greatest(node, *cells), std::ldexp(1.0, most_power));
    return {};
}

bool is_hybrid_recurrent(const Node& node, const Recipe& recipe) { return recipe.hybrid_recurrent && node.is(ops::LSTM, ops::RNN); }

std::string dynamic_recurrent_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const Recipe& recipe) {
    if (weight_inputs(graph, node).empty()) return "its weights are not constant";
    if (recipe.hybrid_recurrent) return hybrid_obstacle(node, scheme, recipe);
    if (!is_lstm(node)) return "of recurrent operators only LSTM is quantized at run time";
    return lstm_obstacle_at_run_time(node, scheme, recipe);
}

}  // namespace quern
