// Facts from onnxruntime 1.31.1 at ENABLE_ALL: products of float activations with weights behind DequantizeLinear become MatMulNBits, whose
// default (accuracy_level 4) quantizes the activations to int8; with a QuantizeLinear behind them, and Gemms with transB, they stay as they
// are. Products between float8 codes are joined into operators on codes that it does not have, int32 that may overflow is made of biases
// beside them, and from extended on a Relu behind which float8 is stored is dropped, as if its codes had no sign.
#include "formats/onnx/session_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/linear.h"

namespace quern::onnx_format {
namespace {

const Node* producer(const Graph& graph, ValueId id) {
    const NodeId node = id == ValueId::none ? NodeId::none : graph.value(id).producer;
    return node == NodeId::none ? nullptr : &graph.node(node);
}

class Products {
   public:
    explicit Products(const Graph& graph) : graph_(graph), uses_(graph.all_uses()) {}

    size_t narrowed() const {
        return static_cast<size_t>(std::ranges::count_if(graph_.order(), [&](NodeId id) { return is_narrowed(graph_.node(id)); }));
    }

   private:
    bool is_narrowed(const Node& node) const {
        if (!node.is(ops::MatMul) && !(node.is(ops::Gemm) && NodeView(node).integer("transB") == 0)) return false;
        const Node* weights = producer(graph_, node.in[1]);
        if (!weights || !is_dequantize(*weights) || !is_taken(graph_.value(weights->in[0]))) return false;
        const Node* activations = producer(graph_, node.in[0]);
        return !(activations && is_dequantize(*activations)) && !is_quantized(node.out[0]);
    }

    static bool is_taken(const Value& weights) {
        constexpr std::array taken{DType::i8, DType::u8, DType::i4, DType::u4, DType::i2, DType::u2};
        return weights.constant() && weights.type.shape.rank() == 2 && std::ranges::find(taken, weights.type.dtype) != taken.end();
    }

    bool is_quantized(ValueId result) const {
        return std::ranges::any_of(uses_[index_of(result)],
                                   [&](const Use& use) { return use.node != NodeId::none && is_quantize(graph_.node(use.node)); });
    }

    const Graph& graph_;
    const std::vector<std::vector<Use>> uses_;
};

bool quantizes_to_float8(const Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        return is_quantize(node) && dtypes::float8s.has(graph.value(node.out[0]).type.dtype);
    });
}

}  // namespace

std::vector<SessionOption> session_options(const Graph& root) {
    bool float8 = false;
    size_t narrowed = 0;
    for_each_graph(root, [&](const Graph& graph, const std::string&) {
        float8 = float8 || quantizes_to_float8(graph);
        narrowed += Products(graph).narrowed();
    });
    std::vector<SessionOption> found;
    if (float8) found.push_back({"session.disable_quant_qdq = 1", "float8 activations, with graph optimizations no further than basic"});
    if (narrowed > 0)
        found.push_back(
            {"session.qdq_matmulnbits_accuracy_level = 1",
             fmt::format("{} product{} of float activations, which it computes in 8 bits else", narrowed, narrowed == 1 ? "" : "s")});
    return found;
}

}  // namespace quern::onnx_format
