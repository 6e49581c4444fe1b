// Recurrent operators whose weights are codes, and whose input and state are quantized at run time: LSTM and RNN as TensorFlow Lite's
// hybrid kernels have them, or com.microsoft.DynamicQuantizeLSTM, the form that ONNX runtimes have. The weights are symmetric, and stored
// as uint8 with zero point 128: onnxruntime's products of uint8 and int8 saturate on machines with AVX2 alone, those of uint8 are exact
// everywhere.
#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/plan/recurrent.h"

namespace quern {
namespace {

using namespace recurrent_operands;
constexpr int64_t zero_point = 128;
enum Operand : size_t { weight_scale_at = 8, weight_zero_at, recurrence_scale_at, recurrence_zero_at, operands };

// The numbers of one direction, [1, rows, columns] of [directions, rows, columns], turned to [columns, rows].
Tensor turned(const Tensor& all, size_t direction) {
    const auto rows = static_cast<size_t>(all.dims[1]), columns = static_cast<size_t>(all.dims[2]);
    const auto from = to_floats(all);
    std::vector<float> to(rows * columns);
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < columns; ++c) to[c * rows + r] = from[(direction * rows + r) * columns + c];
    return Tensor::make<float>({all.dims[2], all.dims[1]}, to);
}

class DynamicLstm {
   public:
    DynamicLstm(Graph& graph, NodeId id, const std::string& path, const NodePlan& plan, const QuantWork& work, QuantReport& report)
        : graph_(graph), id_(id), path_(path), plan_(plan), work_(work), report_(report) {}

    void run() {
        graph_.node(id_).in.resize(operands, ValueId::none);
        replace(weights_at, weight_scale_at);
        replace(recurrence_at, recurrence_scale_at);
        Node& node = graph_.node(id_);
        node.op = find_op(ops::microsoft::DynamicQuantizeLSTM.name, ops::microsoft::DynamicQuantizeLSTM.domain);
        node.attrs.erase("layout");
        node.attrs.erase("cell_clip");
    }

   private:
    WeightSpec spec() const {
        const Scheme& scheme = *plan_.scheme;
        const GridSpec grid = weight_spec(scheme, work_);
        WeightSpec spec{.storage = scheme.weight, .symmetric = scheme.weight_symmetric, .axis = per_channel() ? 1 : -1};
        spec.least_scale = grid.min_scale;
        spec.half_away = grid.half_away;
        spec.clip = plan_.search.method->clips;
        return spec;
    }
    bool per_channel() const { return plan_.scheme->per_channel && !work_.request.per_tensor; }

    void replace(size_t at, size_t scale_at) {
        const ValueId source = graph_.node(id_).in[at];
        const Tensor real = *graph_.constant(source);
        const std::string name = graph_.value(source).name;
        std::vector<int64_t> codes;
        std::vector<float> scales;
        for (size_t direction = 0; direction < static_cast<size_t>(real.dims[0]); ++direction) {
            const Tensor own = turned(real, direction);
            const Encoding encoding = weight_encoding(own, spec());
            append(codes, to_ints(constant_codes(own, encoding, recipe_of(*plan_.scheme, work_))));
            append(scales, to_floats(encoding.scale));
            if (direction == 0) add_report(name, encoding);
        }
        for (int64_t& code : codes) code += zero_point;
        const Dims dims = per_channel() ? Dims{real.dims[0], real.dims[1]} : Dims{real.dims[0]};
        set(at, name + "_quantized", from_ints(DType::u8, {real.dims[0], real.dims[2], real.dims[1]}, codes));
        set(scale_at, name + "_scale", Tensor::make<float>(dims, scales));
        set(scale_at + 1, name + "_zero", from_ints(DType::u8, dims, std::vector<int64_t>(scales.size(), zero_point)));
        if (graph_.uses(source).empty()) graph_.erase(source);
    }

    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& more) {
        to.insert(to.end(), more.begin(), more.end());
    }

    void set(size_t at, const std::string& name, const Tensor& tensor) {
        graph_.node(id_).in[at] = graph_.add_constant(graph_.unique_name(name), tensor);
    }

    // Of the first direction; what is reported of one scale a channel is of its channels.
    void add_report(const std::string& name, const Encoding& encoding) {
        ValueReport entry;
        entry.key = path_ + name;
        entry.role = "weight";
        entry.rule = plan_.rule;
        entry.method = spec().clip ? default_method().name : whole_range().name;
        entry.encoding = encoding;
        report_.values.push_back(std::move(entry));
    }

    Graph& graph_;
    NodeId id_;
    const std::string& path_;
    const NodePlan& plan_;
    const QuantWork& work_;
    QuantReport& report_;
};

}  // namespace

void assign_dynamic_lstms(Graph& graph, const std::string& path, const GraphPlan& plan, const QuantWork& work, QuantReport& report) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const bool planned = is_lstm(graph.node(id)) && plan.quantized(id);
        if (!planned || plan.nodes.at(id).scheme->activations != Scheme::Activations::dynamic) continue;
        if (!is_hybrid_recurrent(graph.node(id), recipe_of(*plan.nodes.at(id).scheme, work)))
            DynamicLstm(graph, id, path, plan.nodes.at(id), work, report).run();
    }
}

}  // namespace quern
