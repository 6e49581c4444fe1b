#include "libcore/quant/plan/recurrent.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/edit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/passes/shared.h"
#include "libcore/quant/assign/measure_weight.h"
#include "libcore/quant/assign/weights.h"

namespace quern {
namespace {

using namespace recurrent_operands;
constexpr size_t all_cells = 3;  // the result with the cells of all steps
constexpr size_t gates = 4;
constexpr int most_power = 6;  // cells are kept below 2^6, where tanh is 1

ValueId first_result(const Node& node) {
    const auto found = std::find_if(node.out.begin(), node.out.end(), [](ValueId id) { return id != ValueId::none; });
    return found == node.out.end() ? ValueId::none : *found;
}

// The first state's shape; nullopt if the batch is not known.
std::optional<Dims> state_dims(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const Shape &x = graph.value(node.in[0]).type.shape, &r = graph.value(node.in[recurrence_at]).type.shape;
    const bool batch_first = view.integer("layout") == 1;
    if (!x.ranked || x.rank() != 3 || !r.ranked || r.rank() != 3 || !r.dims[2].known()) return std::nullopt;
    const Dim batch = x.dims[batch_first ? 0 : 1];
    if (!batch.known()) return std::nullopt;
    return batch_first ? Dims{batch.value, 1, r.dims[2].value} : Dims{1, batch.value, r.dims[2].value};
}

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

class LstmCodes {
   public:
    LstmCodes(Graph& graph, NodeId id, const std::string& path, const NodePlan& plan, const QuantOptions& options, QuantReport& report)
        : graph_(graph),
          id_(id),
          path_(path),
          plan_(plan),
          options_(options),
          report_(report),
          hidden_(static_cast<size_t>(graph.value(graph.node(id).in[recurrence_at]).type.shape.dims[2].value)),
          x_scale_(to_floats(graph.value(graph.node(id).in[0]).enc->scale)[0]) {}

    void run(const ValueRange& cells) {
        Node& node = graph_.node(id_);
        const Encoding y = *graph_.value(node.out[0]).enc;
        const Dims dims = *state_dims(graph_, node);
        if (node.in.size() <= cell_at) node.in.resize(cell_at + 1, ValueId::none);
        const std::vector<float> bias = biases();
        const Encoding input = weight(weights_at, bias);
        weight(recurrence_at, {});
        add_bias(bias, to_floats(input.scale));
        const float scale = std::ldexp(1.0f, power_above(greatest(node, cells)) - 15);
        set(hidden_at, "hidden", "state", from_ints(y.storage, dims, std::vector<int64_t>(count(dims), y.zero_at())), y);
        set(cell_at, "cell", "state", from_ints(DType::i16, dims, std::vector<int64_t>(count(dims), 0)),
            make_encoding(DType::i16, Tensor::scalar(scale), {}));
        report_.values.back().observed = {cells.min, cells.max};
        graph_.node(id_).internal["hidden"] = y;
    }

   private:
    static size_t count(const Dims& dims) { return static_cast<size_t>(count_of(dims)); }

    // The sums of what ONNX adds to the products of input and state.
    std::vector<float> biases() const {
        std::vector<float> sums(gates * hidden_, 0.0f);
        const ValueId id = graph_.node(id_).in[bias_at];
        if (id == ValueId::none) return sums;
        const auto both = to_floats(*graph_.constant(id));
        for (size_t i = 0; i < sums.size(); ++i) sums[i] = both[i] + both[i + sums.size()];
        return sums;
    }

    // Codes for a weight [1, 4 * hidden, n]; its encoding. A scale is enlarged where a bias would overflow.
    Encoding weight(size_t at, std::span<const float> bias) {
        const Tensor real = *graph_.constant(graph_.node(id_).in[at]);
        WeightSpec spec{.storage = plan_.scheme->weight, .axis = 1, .gates = gates};
        spec.clip = plan_.search.method->clips;
        const auto of_channels = to_floats(weight_encoding(real, spec).scale);
        std::vector<float> scales;
        for (size_t g = 0; g < gates; ++g) {
            float most = 0;
            for (size_t i = 0; i < hidden_ && !bias.empty(); ++i) most = std::max(most, std::abs(bias[g * hidden_ + i]));
            scales.insert(scales.end(), hidden_, std::max(of_channels[g * hidden_], most / x_scale_ / 2147000000.0f));
        }
        Encoding encoding = make_encoding(spec.storage, Tensor::vector<float>(scales), {}, 1, true);
        set(at, at == weights_at ? "weights" : "recurrence", "weight", constant_codes(real, encoding, recipe()), encoding);
        if (options_.measured) measure_weight(report_.values.back(), real, *graph_.constant(graph_.node(id_).in[at]));
        return encoding;
    }

    // All of it beside the products of the input; none beside the state's.
    void add_bias(std::vector<float> bias, std::vector<float> scales) {
        for (float& scale : scales) scale *= x_scale_;
        bias.resize(2 * bias.size(), 0.0f);
        scales.resize(bias.size(), scales.back());
        const Encoding encoding = make_encoding(DType::i32, Tensor::vector<float>(scales), {}, 1);
        const Tensor real = from_floats(DType::f32, {1, static_cast<int64_t>(bias.size())}, bias);
        set(bias_at, "bias", "bias", constant_codes(real, encoding, recipe()), encoding);
    }

    // The operand becomes a constant of its own, which keeps its name where nobody else reads it.
    void set(size_t at, std::string_view what, const char* role, const Tensor& codes, const Encoding& encoding) {
        ValueId id = graph_.node(id_).in[at];
        ValueReport entry;
        const bool own = id != ValueId::none && graph_.uses(id).size() == 1 && graph_.value(id).type.shape.concrete() == codes.dims;
        if (!own) {
            id = graph_.add_constant(graph_.unique_name(fmt::format("{}_{}", graph_.node(id_).name, what)), codes);
            graph_.value(id).type.dtype = DType::f32;
            graph_.node(id_).in[at] = id;
        }
        graph_.value(id).data = codes.data;
        graph_.value(id).enc = encoding;
        entry.key = path_ + graph_.value(id).name;
        entry.role = role;
        entry.rule = plan_.rule;
        entry.method = at == cell_at ? "power of two" : "min-max";
        entry.encoding = encoding;
        report_.values.push_back(std::move(entry));
    }

    const Recipe& recipe() const { return recipe_of(*plan_.scheme, options_); }

    Graph& graph_;
    NodeId id_;
    const std::string& path_;
    const NodePlan& plan_;
    const QuantOptions& options_;
    QuantReport& report_;
    size_t hidden_;
    float x_scale_;
};

}  // namespace

bool is_lstm(const Node& node) { return node.is(ops::LSTM); }

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

const ValueRange* Statistics::cells(const Graph& graph, const Node& lstm) const {
    const ValueId result = first_result(lstm);
    return result == ValueId::none ? nullptr : seen(cell_key(key(graph, result)));
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
    if (!state_dims(graph, node)) return "its batch is not fixed";
    if (!cells || cells->count == 0) return "its cells were not observed: the ranges were collected by an older version or another tool";
    if (power_above(greatest(node, *cells)) > most_power)
        return fmt::format("its cells reach {:g}, and int16 codes {:g}", greatest(node, *cells), std::ldexp(1.0, most_power));
    return {};
}

void assign_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const Statistics& statistics, const QuantOptions& options,
                  QuantReport& report) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        if (!is_lstm(node) || !plan.quantized(id) || !plan.nodes.at(id).scheme->full()) continue;
        const auto &x = graph.value(node.in[0]).enc, &y = graph.value(node.out[0]).enc;
        if (!x || !y || x->storage != DType::i8 || y->storage != DType::i8) continue;  // an override says otherwise
        const ValueRange* cells = statistics.cells(graph, node);
        LstmCodes(graph, id, path, plan.nodes.at(id), options, report).run(*cells);
    }
}

}  // namespace quern
