// The weights, biases and states of quantized LSTMs (plan/recurrent.h).
#include <algorithm>
#include <cmath>

#include "libcore/graph/edit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/assign/measure_weight.h"
#include "libcore/quant/plan/recurrent.h"

namespace quern {
namespace {

using namespace recurrent_operands;
constexpr size_t gates = 4;

class LstmCodes {
   public:
    LstmCodes(Graph& graph, NodeId id, const std::string& path, const NodePlan& plan, const QuantWork& work, QuantReport& report)
        : graph_(graph),
          id_(id),
          path_(path),
          plan_(plan),
          work_(work),
          report_(report),
          hidden_(static_cast<size_t>(graph.value(graph.node(id).in[recurrence_at]).type.shape.dims[2].value)),
          x_scale_(to_floats(graph.value(graph.node(id).in[0]).enc->scale)[0]) {}

    void run(const ValueRange& cells) {
        Node& node = graph_.node(id_);
        const Encoding y = *graph_.value(node.out[0]).enc;
        const Dims dims = *lstm_state_dims(graph_, node);
        if (node.in.size() <= cell_at) node.in.resize(cell_at + 1, ValueId::none);
        const std::vector<float> bias = biases();
        const Encoding input = weight(weights_at, bias);
        weight(recurrence_at, {});
        add_bias(bias, to_floats(input.scale));
        const float scale = std::ldexp(1.0f, cell_power(node, cells) - 15);
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
        if (work_.measured) measure_weight(report_.values.back(), real, *graph_.constant(graph_.node(id_).in[at]));
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

    const Recipe& recipe() const { return recipe_of(*plan_.scheme, work_); }

    Graph& graph_;
    NodeId id_;
    const std::string& path_;
    const NodePlan& plan_;
    const QuantWork& work_;
    QuantReport& report_;
    size_t hidden_;
    float x_scale_;
};

}  // namespace

void assign_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const Statistics& statistics, const QuantWork& work,
                  QuantReport& report) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        if (!is_lstm(node) || !plan.quantized(id) || !plan.nodes.at(id).scheme->full()) continue;
        const auto &x = graph.value(node.in[0]).enc, &y = graph.value(node.out[0]).enc;
        if (!x || !y || x->storage != DType::i8 || y->storage != DType::i8) continue;  // an override says otherwise
        const ValueRange* cells = statistics.cells(graph, node);
        LstmCodes(graph, id, path, plan.nodes.at(id), work, report).run(*cells);
    }
}

}  // namespace quern
