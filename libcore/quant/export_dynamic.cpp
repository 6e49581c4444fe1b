// Dynamic encodings: a Recode to one becomes DynamicQuantizeLinear, and a MatMul or Gemm with encoded weights behind it the chain
// MatMulInteger -> Cast -> Mul by the product of the scales -> Add of the bias.
#include <array>

#include "libcore/graph/op.h"
#include "libcore/quant/export.h"

namespace quern {
namespace {

struct Parts {
    ValueId codes, scale, zero;
};

class DynamicWriter {
   public:
    explicit DynamicWriter(Graph& graph) : graph_(graph) {}

    void run() {
        for (const NodeId id : std::vector<NodeId>(graph_.order())) {
            const Node& node = graph_.node(id);
            if (node.op->name != "Recode" || node.op->domain != "quern") continue;
            const auto& enc = graph_.value(node.out[0]).enc;
            if (enc && enc->kind == Encoding::Kind::dynamic) lower(id);
        }
        graph_.sort();
    }

   private:
    ValueId add(std::string_view op, const std::string& name, std::vector<ValueId> in, Type type, Attrs attrs = {}) {
        const ValueId out = graph_.add_value(graph_.unique_name(name), std::move(type));
        graph_.add_node(need_op(op), graph_.unique_node_name(name), std::move(in), {out}, std::move(attrs));
        return out;
    }

    void lower(NodeId id) {
        const ValueId x = graph_.node(id).in[0], y = graph_.node(id).out[0];
        const std::string name = graph_.value(y).name;
        if (graph_.value(y).enc->storage != DType::u8)
            throw unsupported("value \"{}\" is dynamic in {}; ONNX's DynamicQuantizeLinear gives uint8", name,
                              name_of(graph_.value(y).enc->storage));
        graph_.value(y).enc.reset();
        graph_.erase(id);
        const Shape shape = graph_.value(x).type.shape;
        const Parts parts{graph_.add_value(graph_.unique_name(name + "_codes"), Type::tensor(DType::u8, shape)),
                          graph_.add_value(graph_.unique_name(name + "_scale"), Type::tensor(DType::f32, Shape::of({}))),
                          graph_.add_value(graph_.unique_name(name + "_zero"), Type::tensor(DType::u8, Shape::of({})))};
        graph_.add_node(need_op("DynamicQuantizeLinear"), graph_.unique_node_name(name + "_quantize"), {x},
                        {parts.codes, parts.scale, parts.zero});
        for (const Use& use : graph_.uses(y))
            if (use.node != NodeId::none && use.index == 0) lower_product(use.node, parts);
        if (graph_.uses(y).empty()) {
            graph_.erase(y);
            return;
        }
        graph_.add_node(need_op("DequantizeLinear"), graph_.unique_node_name(name + "_dequantize"), {parts.codes, parts.scale, parts.zero},
                        {y});
    }

    // [r, c] codes turned to [c, r].
    ValueId turned(ValueId weights) {
        const Tensor stored = *graph_.constant(weights);
        const auto rows = static_cast<size_t>(stored.dims[0]), columns = static_cast<size_t>(stored.dims[1]);
        const auto from = stored.view<uint8_t>();
        std::vector<uint8_t> to(from.size());
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
        return graph_.add_constant(graph_.value(weights).name + "_codes",
                                   {stored.dtype, {stored.dims[1], stored.dims[0]}, Bytes::copy(to.data(), to.size())});
    }

    void lower_product(NodeId id, const Parts& x) {
        const Node& node = graph_.node(id);
        const bool gemm = node.op->name == "Gemm", matmul = node.op->name == "MatMul";
        if (!node.op->domain.empty() || (!gemm && !matmul)) return;
        const ValueId w = node.in[1];
        const auto enc = graph_.value(w).enc;
        if (!graph_.value(w).constant() || !enc || bits_of(enc->storage) != 8 || enc->block > 0 || graph_.value(w).type.shape.rank() != 2)
            return;
        const NodeView view(node);
        const bool transposed = gemm && view.integer("transB") != 0;
        if (gemm && (view.integer("transA") != 0 || view.real("alpha") != 1 || view.real("beta") != 1)) return;
        if (enc->axis >= 0 && enc->axis != (transposed ? 0 : 1)) return;
        if (node.in.size() > 2 && node.in[2] != ValueId::none && graph_.value(node.in[2]).enc) return;
        write_chain(id, x, w, *enc, transposed);
    }

    void write_chain(NodeId id, const Parts& x, ValueId w, const Encoding& enc, bool transposed) {
        const std::string name = graph_.node(id).name;
        const ValueId y = graph_.node(id).out[0], bias = graph_.node(id).in.size() > 2 ? graph_.node(id).in[2] : ValueId::none;
        const Type type = graph_.value(y).type;
        const ValueId codes = transposed ? turned(w) : graph_.add_constant(graph_.value(w).name + "_codes", *graph_.constant(w));
        std::vector<ValueId> in{x.codes, codes, x.zero};
        if (!enc.symmetric()) in.push_back(graph_.add_constant(graph_.value(w).name + "_zero", enc.zero));
        const ValueId sums = add("MatMulInteger", name + "_sums", std::move(in), Type::tensor(DType::i32, type.shape));
        const ValueId real = add("Cast", name + "_real", {sums}, type, {{"to", int64_t{row_of(DType::f32).onnx}}});
        const ValueId w_scale = graph_.add_constant(graph_.value(w).name + "_scale", enc.scale);
        const ValueId scale = add("Mul", name + "_scale", {x.scale, w_scale}, Type::tensor(DType::f32));
        graph_.erase(id);
        const ValueId scaled = bias == ValueId::none ? y : graph_.add_value(graph_.unique_name(name + "_scaled"), type);
        graph_.add_node(need_op("Mul"), graph_.unique_node_name(name + "_rescale"), {real, scale}, {scaled});
        if (bias != ValueId::none) graph_.add_node(need_op("Add"), graph_.unique_node_name(name + "_bias"), {scaled, bias}, {y});
        if (graph_.uses(w).empty()) graph_.erase(w);
    }

    Graph& graph_;
};

}  // namespace

void lower_dynamic(Graph& graph) { DynamicWriter(graph).run(); }

}  // namespace quern
