// Dynamic encodings: a Recode to one becomes DynamicQuantizeLinear (of int8 what dynamic_spelling.h says and QuantizeLinear), and a MatMul,
// Gemm or Conv behind it, whose other operand has codes of 8 bits, the chain MatMulInteger or ConvInteger -> Cast -> Mul by the product of
// the scales -> Add of the bias.
#include <map>
#include <tuple>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/onnx_products.h"
#include "libcore/passes/onnx/dynamic_spelling.h"
#include "libcore/passes/onnx/lower_encodings.h"

namespace quern {
namespace {

struct Parts {
    ValueId codes, scale, zero;  // zero none: 0
};

class DynamicWriter {
   public:
    explicit DynamicWriter(Graph& graph) : graph_(graph) {}

    void run() {
        const std::vector<NodeId> order = graph_.order();
        for (const NodeId id : order) {
            const Node& node = graph_.node(id);
            if (node.is(ops::own::Recode) && is_dynamic(node.out[0])) add_quantize(id);
        }
        for (const NodeId id : order)
            if (!graph_.node(id).erased && sums_codes(graph_.node(id))) lower_product(id);
        for (const auto& [value, parts] : dynamic_) finish(value, parts);
        graph_.sort();
    }

   private:
    bool is_dynamic(ValueId id) const { return id != ValueId::none && graph_.value(id).enc && graph_.value(id).enc->is_dynamic(); }

    ValueId add(OpId op, const std::string& name, std::vector<ValueId> in, Type type, Attrs attrs = {}) {
        const ValueId out = graph_.add_value(graph_.unique_name(name), std::move(type));
        graph_.add_node(need_op(op), graph_.unique_node_name(name), std::move(in), {out}, std::move(attrs));
        return out;
    }

    void add_quantize(NodeId id) {
        const ValueId x = graph_.node(id).in[0], y = graph_.node(id).out[0];
        const std::string name = graph_.value(y).name;
        const Encoding encoding = *graph_.value(y).enc;
        if (encoding.storage != DType::u8 && encoding.storage != DType::i8)
            throw unsupported("value \"{}\" is dynamic in {}, need uint8 or int8", escape(name), name_of(encoding.storage));
        graph_.erase(id);
        if (encoding.storage == DType::i8) {
            const DynamicGrid grid = spell_dynamic_grid(graph_, x, encoding, name);
            const Type type = Type::tensor(DType::i8, graph_.value(x).type.shape);
            dynamic_.emplace(y, Parts{add(ops::QuantizeLinear, name + "_codes", {x, grid.scale, grid.zero}, type), grid.scale, grid.zero});
            return;
        }
        const Shape shape = graph_.value(x).type.shape;
        const Parts parts{graph_.add_value(graph_.unique_name(name + "_codes"), Type::tensor(DType::u8, shape)),
                          graph_.add_value(graph_.unique_name(name + "_scale"), Type::tensor(DType::f32, Shape::of({}))),
                          graph_.add_value(graph_.unique_name(name + "_zero"), Type::tensor(DType::u8, Shape::of({})))};
        graph_.add_node(need_op(ops::DynamicQuantizeLinear), graph_.unique_node_name(name + "_quantize"), {x},
                        {parts.codes, parts.scale, parts.zero});
        dynamic_.emplace(y, parts);
    }

    // What still reads the real numbers gets them from the codes.
    void finish(ValueId y, const Parts& parts) {
        const std::string name = graph_.value(y).name;
        graph_.value(y).enc.reset();
        if (graph_.uses(y).empty())
            graph_.erase(y);
        else
            graph_.add_node(need_op(ops::DequantizeLinear), graph_.unique_node_name(name + "_dequantize"),
                            {parts.codes, parts.scale, parts.zero}, {y});
    }

    bool has_byte_codes(ValueId id) const {
        if (dynamic_.contains(id)) return true;
        const Value& value = graph_.value(id);
        return value.constant() && value.enc && bits_of(value.enc->storage) == 8;
    }

    // Does an integer run compute this node on codes, and can ONNX say it?
    bool sums_codes(const Node& node) const {
        const bool gemm = node.is(ops::Gemm);
        if (!gemm && !node.is(ops::MatMul, ops::Conv)) return false;
        const ValueId a = node.in[0], b = node.in[1], bias = node.in.size() > 2 ? node.in[2] : ValueId::none;
        if (!dynamic_.contains(a) && !dynamic_.contains(b)) return false;
        if (!has_byte_codes(a) || !has_byte_codes(b) || (node.is(ops::Conv) && !dynamic_.contains(a))) return false;
        if (gemm && (NodeView(node).integer("transA") != 0 || (transposes(node) && dynamic_.contains(b)))) return false;
        if (bias != ValueId::none && graph_.value(bias).enc) return false;
        const Shape& weights = graph_.value(b).type.shape;
        if (!weights.ranked) return false;
        return takes_integer_operands(node, {&*graph_.value(a).enc, &*graph_.value(b).enc, weights.rank(),
                                             bias == ValueId::none ? Shape() : graph_.value(bias).type.shape});
    }

    static bool transposes(const Node& node) { return node.is(ops::Gemm) && NodeView(node).integer("transB") != 0; }

    // [r, c] codes turned to [c, r].
    Tensor turned(const Tensor& stored) const {
        const auto rows = static_cast<size_t>(stored.dims[0]), columns = static_cast<size_t>(stored.dims[1]);
        const auto from = stored.view<uint8_t>();
        std::vector<uint8_t> to(from.size());
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
        return {stored.dtype, {stored.dims[1], stored.dims[0]}, Bytes::copy(to.data(), to.size())};
    }

    Parts parts_of(const Node& node, size_t input) {
        const ValueId id = node.in[input];
        const bool conv = node.is(ops::Conv), turns = input == 1 && transposes(node);
        if (const auto found = dynamic_.find(id); found != dynamic_.end()) return found->second;
        const auto [known, fresh] = constants_.try_emplace({id, conv, turns});
        if (!fresh) return known->second;
        const Encoding encoding = *graph_.value(id).enc;
        const std::string name = graph_.value(id).name;
        const Tensor stored = *graph_.constant(id);
        Tensor scale = encoding.scale;
        // Behind a convolution one scale per channel meets dim 1.
        if (conv && !encoding.per_tensor()) scale.dims.resize(stored.dims.size() - 1, 1);
        known->second = {graph_.add_constant(name + "_codes", turns ? turned(stored) : stored), graph_.add_constant(name + "_scale", scale),
                         encoding.symmetric() ? ValueId::none : graph_.add_constant(name + "_zero", encoding.zero)};
        return known->second;
    }

    // The bias as it broadcasts over the result.
    ValueId spread_bias(const Node& node, const std::string& name) {
        const ValueId bias = node.in[2];
        if (!node.is(ops::Conv)) return bias;
        std::vector<int64_t> dims(graph_.value(node.in[1]).type.shape.rank() - 1, 1);
        if (auto constant = graph_.constant(bias)) {
            dims[0] = constant->count();
            constant->dims = dims;
            return graph_.add_constant(graph_.value(bias).name + "_channels", *constant);
        }
        dims[0] = -1;
        const ValueId shape = graph_.add_constant(name + "_bias_shape", Tensor::vector<int64_t>(dims));
        return add(ops::Reshape, name + "_bias_channels", {bias, shape}, Type::tensor(DType::f32));
    }

    void lower_product(NodeId id) {
        const Node& node = graph_.node(id);
        const std::string name = node.name;
        const bool conv = node.is(ops::Conv), biased = node.in.size() > 2 && node.in[2] != ValueId::none;
        const std::vector<ValueId> old = node.in;
        const ValueId y = node.out[0];
        const Type type = graph_.value(y).type;
        const Parts a = parts_of(node, 0), b = parts_of(node, 1);
        const ValueId bias = biased ? spread_bias(node, name) : ValueId::none;
        std::vector<ValueId> in{a.codes, b.codes, a.zero};
        if (b.zero != ValueId::none) in.push_back(b.zero);
        Attrs attrs;
        if (conv) {
            attrs = node.attrs;
            attrs.erase("layout");
        }
        const ValueId sums = add(conv ? ops::ConvInteger : ops::MatMulInteger, name + "_sums", std::move(in),
                                 Type::tensor(DType::i32, type.shape), std::move(attrs));
        const ValueId real = add(ops::Cast, name + "_real", {sums}, type, {{"to", int64_t{row_of(DType::f32).onnx}}});
        const ValueId scale = add(ops::Mul, name + "_scale", {a.scale, b.scale}, Type::tensor(DType::f32));
        graph_.erase(id);
        const ValueId scaled = biased ? graph_.add_value(graph_.unique_name(name + "_scaled"), type) : y;
        graph_.add_node(need_op(ops::Mul), graph_.unique_node_name(name + "_rescale"), {real, scale}, {scaled});
        if (biased) graph_.add_node(need_op(ops::Add), graph_.unique_node_name(name + "_bias"), {scaled, bias}, {y});
        for (const ValueId operand : old)
            if (operand != ValueId::none && graph_.value(operand).constant() && graph_.uses(operand).empty()) graph_.erase(operand);
    }

    Graph& graph_;
    std::map<ValueId, Parts> dynamic_;                            // values in a dynamic encoding, and what stands for them
    std::map<std::tuple<ValueId, bool, bool>, Parts> constants_;  // the same of constants: of a convolution? transposed?
};

}  // namespace

void lower_dynamic(Graph& graph) { DynamicWriter(graph).run(); }

}  // namespace quern
