#include "libcore/passes/qlinear.h"

#include <array>
#include <limits>

#include "libcore/ops/qlinear_forms.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// Where the operands of a product are.
struct Product {
    std::string_view name, domain, plain;
    size_t bias, y_scale, y_zero;
    bool weights_by_rows;  // per-channel axis 0 of the weights, else the last
};
constexpr std::array products{
    Product{"QLinearConv", "", "Conv", 8, 6, 7, true},
    Product{"QLinearMatMul", "", "MatMul", 99, 6, 7, false},
    Product{"QGemm", "com.microsoft", "Gemm", 6, 7, 8, false},
};

class ProductExpander {
   public:
    ProductExpander(Graph& graph, NodeId id, const Product& form) : graph_(graph), id_(id), form_(form), name_(graph.node(id).name) {}

    bool run() {
        const size_t a_scale = 1, a_zero = 2, b_scale = 4, b_zero = 5;
        for (const size_t i : {a_scale, a_zero, b_scale, b_zero, form_.y_scale})
            if (!is_constant(i)) return false;
        if (!is_single(a_scale) || !is_single(form_.y_scale) || input_of(graph_.node(id_), form_.y_zero) == ValueId::none) return false;
        const int64_t axis = weight_axis();
        if (!is_single(b_scale) && axis < 0) return false;
        const bool biased = input_of(graph_.node(id_), form_.bias) != ValueId::none;
        ValueId bias = ValueId::none;
        if (biased) {
            bias = real_bias(a_scale, b_scale);
            if (bias == ValueId::none) return false;
        }
        std::vector<ValueId> in{real(0, a_scale, a_zero, 0), real(3, b_scale, b_zero, axis)};
        if (biased) in.push_back(bias);
        finish(std::move(in));
        return true;
    }

   private:
    ValueId input(size_t i) const { return input_of(graph_.node(id_), i); }
    bool is_constant(size_t i) const {
        return input(i) != ValueId::none && graph_.value(input(i)).constant() && !graph_.value(input(i)).enc;
    }
    bool is_single(size_t i) const { return graph_.constant(input(i))->count() == 1; }

    int64_t weight_axis() const {
        const Shape& shape = graph_.value(input(3)).type.shape;
        if (form_.weights_by_rows) return 0;
        if (!shape.ranked || shape.rank() < 2) return -1;
        const bool transposed = form_.plain == "Gemm" && NodeView(graph_.node(id_)).integer("transB") != 0;
        return transposed ? static_cast<int64_t>(shape.rank()) - 2 : static_cast<int64_t>(shape.rank()) - 1;
    }

    ValueId real(size_t codes, size_t scale, size_t zero, int64_t axis) {
        Type type = graph_.value(input(codes)).type;
        type.dtype = DType::f32;
        const ValueId out = graph_.add_value(graph_.unique_name(graph_.value(input(codes)).name + "_real"), type);
        graph_.add_node(need_op("DequantizeLinear"), graph_.unique_node_name(name_ + "_dequantize"),
                        {input(codes), input(scale), input(zero)}, {out}, {{"axis", axis}}, id_);
        return out;
    }

    // int32 codes at the scale of the products, as the operator takes them.
    ValueId real_bias(size_t a_scale, size_t b_scale) {
        if (!is_constant(form_.bias) || graph_.value(input(form_.bias)).type.dtype != DType::i32) return ValueId::none;
        const float a = to_floats(*graph_.constant(input(a_scale)))[0];
        auto scales = to_floats(*graph_.constant(input(b_scale)));
        for (float& scale : scales) scale = a * scale;
        const Tensor scale = scales.size() == 1 ? Tensor::scalar(scales[0]) : Tensor::vector<float>(scales);
        const ValueId out = graph_.add_value(graph_.unique_name(graph_.value(input(form_.bias)).name + "_real"),
                                             Type::tensor(DType::f32, graph_.value(input(form_.bias)).type.shape));
        const ValueId factor = graph_.add_constant(name_ + "_bias_scale", scale);
        graph_.add_node(need_op("DequantizeLinear"), graph_.unique_node_name(name_ + "_dequantize"), {input(form_.bias), factor}, {out},
                        {{"axis", int64_t{0}}}, id_);
        return out;
    }

    void finish(std::vector<ValueId> in) {
        const ValueId y = graph_.node(id_).out[0], y_scale = input(form_.y_scale), y_zero = input(form_.y_zero);
        Type type = graph_.value(y).type;
        type.dtype = DType::f32;
        const ValueId result = graph_.add_value(graph_.unique_name(graph_.value(y).name + "_real"), type);
        const NodeId product = graph_.add_node(need_op(form_.plain), graph_.unique_node_name(name_ + "_product"), std::move(in), {result},
                                               graph_.node(id_).attrs, id_);
        graph_.node(product).device = graph_.node(id_).device;
        take_over(graph_, y, need_op("QuantizeLinear"), {result, y_scale, y_zero});
    }

    Graph& graph_;
    NodeId id_;
    const Product& form_;
    std::string name_;
};

// com.microsoft's operators on codes of one scale each, and movement of codes.
class Expander {
   public:
    Expander(Graph& graph, NodeId id) : graph_(graph), id_(id), name_(graph.node(id).name) {}

    bool expand(const QLinearForm& form) {
        using Order = QLinearForm::Order;
        const bool leads = form.order == Order::output_then_operands;
        const size_t count = graph_.node(id_).in.size(), plain = form.order == Order::condition_first ? 1 : 0;
        if (count < plain + 5 || (count - plain) % 3 != 2 || !over_one_axis()) return false;
        const size_t first = leads ? 2 : plain, last = leads ? count : count - 2, output = leads ? 0 : last;
        if (!is_parameter(output) || !is_parameter(output + 1)) return false;
        for (size_t i = first; i < last; i += 3)
            if (!is_parameter(i + 1) || !is_parameter(i + 2)) return false;
        const ValueId scale = input(output), zero = input(output + 1);
        std::vector<ValueId> in(plain, input(0));
        for (size_t i = first; i < last; i += 3) in.push_back(real(input(i), input(i + 1), input(i + 2)));
        finish(need_op(form.op), std::move(in), plain_attributes(graph_.node(id_)), scale, zero);
        return true;
    }

    // All that is moved comes from QuantizeLinear nodes of one scale and zero point.
    bool expand_mover() {
        const Node& node = graph_.node(id_);
        const size_t moved = has(node.op->traits, Trait::variadic_in) ? node.in.size() : 1;
        const Node* first = made_by(graph_, node.in[0], "QuantizeLinear");
        if (!first || first->in.size() < 3 || node.out.size() != 1) return false;
        const ValueId scale = first->in[1], zero = first->in[2];
        for (size_t i = 0; i < moved; ++i) {
            const Node* maker = made_by(graph_, node.in[i], "QuantizeLinear");
            if (!maker || maker->in.size() < 3 || !is_byte_of(maker->in[1], scale) || !is_byte_of(maker->in[2], zero)) return false;
        }
        std::vector<ValueId> in = node.in;
        for (size_t i = 0; i < moved; ++i) in[i] = real(in[i], scale, zero);
        finish(node.op, std::move(in), node.attrs, scale, zero);
        return true;
    }

   private:
    ValueId input(size_t i) const { return input_of(graph_.node(id_), i); }
    bool is_single(ValueId id) const {
        return id != ValueId::none && graph_.value(id).constant() && !graph_.value(id).enc && graph_.constant(id)->count() == 1;
    }
    bool is_parameter(size_t i) const { return is_single(input(i)); }
    bool is_byte_of(ValueId a, ValueId b) const {
        if (!is_single(a) || !is_single(b)) return false;
        const Tensor x = *graph_.constant(a), y = *graph_.constant(b);
        return x.dtype == y.dtype && (x.dtype == DType::f32 ? to_floats(x) == to_floats(y)
                                                            : (x.dtype == DType::u8 || x.dtype == DType::i8) && to_ints(x) == to_ints(y));
    }

    // Before opset 13 a Softmax ran over all dims from its axis on.
    bool over_one_axis() const {
        const Node& node = graph_.node(id_);
        if (node.op->name != "QLinearSoftmax" || NodeView(node).integer("opset") >= 13) return true;
        const Shape& shape = graph_.value(node.in[0]).type.shape;
        return shape.ranked && normal_axis(NodeView(node).integer("axis"), shape.rank()) + 1 == shape.rank();
    }

    ValueId real(ValueId codes, ValueId scale, ValueId zero) {
        const ValueId out = graph_.add_value(graph_.unique_name(graph_.value(codes).name + "_real"),
                                             Type::tensor(DType::f32, graph_.value(codes).type.shape));
        graph_.add_node(need_op("DequantizeLinear"), graph_.unique_node_name(name_ + "_dequantize"), {codes, scale, zero}, {out}, {}, id_);
        return out;
    }

    void finish(const Op* op, std::vector<ValueId> in, Attrs attrs, ValueId scale, ValueId zero) {
        const ValueId y = graph_.node(id_).out[0];
        const ValueId result =
            graph_.add_value(graph_.unique_name(graph_.value(y).name + "_real"), Type::tensor(DType::f32, graph_.value(y).type.shape));
        const NodeId plain = graph_.add_node(op, graph_.unique_node_name(name_ + "_plain"), std::move(in), {result}, std::move(attrs), id_);
        graph_.node(plain).device = graph_.node(id_).device;
        take_over(graph_, y, need_op("QuantizeLinear"), {result, scale, zero});
    }

    Graph& graph_;
    NodeId id_;
    std::string name_;
};

bool expand(Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    for (const Product& product : products)
        if (node.op->name == product.name && node.op->domain == product.domain) return ProductExpander(graph, id, product).run();
    if (node.op->domain == "com.microsoft") {
        const QLinearForm* form = qlinear_form_named(node.op->name);
        return form && Expander(graph, id).expand(*form);
    }
    return moves_codes(*node.op, std::numeric_limits<int>::max()) && Expander(graph, id).expand_mover();
}

}  // namespace

int expand_qlinear(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && expand(graph, id)) ++changes;
    return changes;
}

}  // namespace quern
