// Constants that stay floats, as float16, or as they came.
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

// Is input `at` of a node numbers to compute with, rather than scales of a picture or other settings?
bool is_operand(const Graph& graph, const Node& node, size_t at) {
    const auto index = static_cast<int>(at);
    if (has(node.op->traits, Trait::elementwise) || index == weight_input(graph, node) || index == node.op->quant.bias) return true;
    if (node.is(ops::Gather)) return at == 0;
    if (is_recurrent(node)) return at >= 1 && at <= 3;
    return node.is(ops::LayerNormalization, ops::BatchNormalization, ops::InstanceNormalization, ops::GroupNormalization) &&
           (at == 1 || at == 2);
}

class Narrower {
   public:
    Narrower(Graph& graph, const std::string& path, const QuantWork& work, QuantReport& report)
        : graph_(graph), path_(path), work_(work), report_(report), uses_(graph.all_uses()) {}

    void run() {
        for (size_t i = 0; i < graph_.value_count(); ++i)
            if (const auto id = static_cast<ValueId>(i); wants(id)) narrow(id);
    }

   private:
    bool wants(ValueId id) const {
        const Value& value = graph_.value(id);
        if (value.erased || !value.constant() || value.enc || value.type.dtype != DType::f32) return false;
        const auto dims = value.type.shape.concrete();
        const bool came_short = work_.short_floats.contains(path_ + value.name);
        return dims && (came_short || count_of(*dims) > 1) && !uses_[index_of(id)].empty() &&
               std::ranges::all_of(uses_[index_of(id)], [&](const Use& use) { return wants(use, came_short); });
    }

    bool wants(const Use& use, bool came_short) const {
        if (use.node == NodeId::none || use.index < 0) return false;
        const Node& node = graph_.node(use.node);
        if (!is_operand(graph_, node, static_cast<size_t>(use.index))) return false;
        const Asked asked = asked_of(node, path_, work_);
        const Scheme* scheme = asked.scheme ? asked.scheme : work_.request.scheme;
        // Kernels that quantize their data at run time add biases of float32.
        const bool bias = is_recurrent(node) ? use.index == 3 : use.index == node.op->quant.bias;
        if (bias && scheme && scheme->activations == Scheme::Activations::dynamic) return false;
        return came_short || (scheme && scheme->float_bits == 16);
    }

    void narrow(ValueId id) {
        const Tensor real = *graph_.constant(id);
        const auto came = work_.short_floats.find(path_ + graph_.value(id).name);
        const DType storage = came == work_.short_floats.end() ? DType::f16 : came->second;
        const Encoding e = make_encoding(storage, Tensor::scalar(1.0f), {});
        const Tensor codes = from_floats(storage, real.dims, to_floats(real));
        const auto numbers = to_floats(real), rounded = to_floats(codes);
        if (came != work_.short_floats.end() && rounded != numbers) return;  // something else has become of it
        for (size_t i = 0; i < numbers.size(); ++i)
            if (!std::isfinite(rounded[i]) || (rounded[i] == 0) != (numbers[i] == 0)) return;
        graph_.value(id).data = codes.data;
        graph_.value(id).enc = e;
        ValueReport entry;
        entry.key = path_ + graph_.value(id).name;
        entry.role = "constant";
        entry.rule = "type";
        entry.method = "min-max";
        entry.encoding = e;
        report_.values.push_back(std::move(entry));
    }

    Graph& graph_;
    const std::string& path_;
    const QuantWork& work_;
    QuantReport& report_;
    std::vector<std::vector<Use>> uses_;
};

}  // namespace

void narrow_floats(Graph& graph, const std::string& path, const QuantWork& work, QuantReport& report) {
    Narrower(graph, path, work, report).run();
}

}  // namespace quern
