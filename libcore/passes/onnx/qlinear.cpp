#include "libcore/passes/onnx/qlinear.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// Makes the real numbers behind codes: once for each scale and zero point, however many operators read them, and by the names that they
// had before an export spelled them as codes.
class Decoder {
   public:
    explicit Decoder(Graph& graph) : graph_(graph) {}

    ValueId real(ValueId codes, ValueId scale, ValueId zero, int64_t axis, NodeId before) {
        const auto [known, fresh] = made_.try_emplace({codes, scale, zero, axis}, ValueId::none);
        if (!fresh) return known->second;
        const std::string node = graph_.node(before).name;
        known->second = value_behind(codes);
        std::vector<ValueId> in{codes, scale};
        if (zero != ValueId::none) in.push_back(zero);
        graph_.add_node(need_op(ops::DequantizeLinear), graph_.unique_node_name(node + "_dequantize"), std::move(in), {known->second},
                        axis < 0 ? Attrs() : Attrs{{"axis", axis}}, before);
        return known->second;
    }

    // A new float32 value of the shape of `codes`.
    ValueId value_behind(ValueId codes) {
        const Value& value = graph_.value(codes);
        const std::string plain = name_behind_codes(value.name).value_or(value.name);
        const std::string name = graph_.find(plain) == ValueId::none ? plain : graph_.unique_name(value.name + "_real");
        return graph_.add_value(name, Type::tensor(DType::f32, value.type.shape));
    }

    // The operator on numbers in the place of node `id` on codes: its result is quantized to `codes`.
    void replace(NodeId id, const Op* op, std::vector<ValueId> in, Attrs attrs, ValueId codes, ValueId scale, ValueId zero) {
        const std::string name = graph_.node(id).name, plain = name_behind_integers(name), device = graph_.node(id).device;
        const ValueId result = value_behind(codes);
        const std::string own = graph_.find_node(plain) == NodeId::none ? plain : graph_.unique_node_name(name + "_plain");
        const auto add = [&](const Op* what, const std::string& called, std::vector<ValueId> from, ValueId to, Attrs how) {
            const NodeId made = graph_.add_node(what, called, std::move(from), {to}, std::move(how), id);
            graph_.node(made).device = device;
            graph_.node(made).scope = graph_.node(id).scope;
        };
        if (const Value& value = graph_.value(result); cuts_negatives(*op, in, codes, zero)) {
            const ValueId sum = graph_.add_value(graph_.unique_name(value.name + "_sum"), value.type);
            add(op, own, std::move(in), sum, std::move(attrs));
            add(need_op(ops::Relu), graph_.unique_node_name(own + "_relu"), {sum}, result, {});
        } else {
            add(op, own, std::move(in), result, std::move(attrs));
        }
        take_over(graph_, codes, need_op(ops::QuantizeLinear), {result, scale, zero});
    }

   private:
    bool starts_at_zero(DType storage, ValueId zero) const {
        return zero != ValueId::none && is_integer(storage) && graph_.constant(zero)->count() == 1 &&
               to_ints(*graph_.constant(zero))[0] == int_range(storage).min;
    }

    // Does the operator sum, and have its codes no negative numbers, though operands do? An export has left a Relu to the codes: numbers
    // need it.
    bool cuts_negatives(const Op& op, const std::vector<ValueId>& in, ValueId codes, ValueId zero) const {
        constexpr std::array sums{ops::Conv, ops::MatMul, ops::Gemm, ops::Add};
        if (std::ranges::find(sums, op.id()) == sums.end() || !starts_at_zero(graph_.value(codes).type.dtype, zero)) return false;
        return std::ranges::any_of(in, [&](ValueId operand) {
            if (operand == ValueId::none) return false;
            const Node* node = made_by(graph_, operand, ops::DequantizeLinear);
            return !node || !starts_at_zero(graph_.value(node->in[0]).type.dtype, input_of(*node, 2));
        });
    }

    Graph& graph_;
    std::map<std::tuple<ValueId, ValueId, ValueId, int64_t>, ValueId> made_;
};

// Where the operands of a product are.
struct Product {
    OpId op, plain;
    size_t bias, y_scale, y_zero;
    bool weights_by_rows;  // per-channel axis 0 of the weights, else the last
};
constexpr std::array products{
    Product{ops::QLinearConv, ops::Conv, 8, 6, 7, true},
    Product{ops::QLinearMatMul, ops::MatMul, 99, 6, 7, false},
    Product{ops::microsoft::QGemm, ops::Gemm, 6, 7, 8, false},
};

class ProductExpander {
   public:
    ProductExpander(Graph& graph, Decoder& decoder, NodeId id, const Product& form)
        : graph_(graph), decoder_(decoder), id_(id), form_(form) {}

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
        const bool transposed = form_.plain == ops::Gemm && NodeView(graph_.node(id_)).integer("transB") != 0;
        return transposed ? static_cast<int64_t>(shape.rank()) - 2 : static_cast<int64_t>(shape.rank()) - 1;
    }

    ValueId real(size_t codes, size_t scale, size_t zero, int64_t axis) {
        return decoder_.real(input(codes), input(scale), input(zero), axis, id_);
    }

    // int32 codes at the scale of the products, as the operator takes them.
    ValueId real_bias(size_t a_scale, size_t b_scale) {
        if (!is_constant(form_.bias) || graph_.value(input(form_.bias)).type.dtype != DType::i32) return ValueId::none;
        const float a = to_floats(*graph_.constant(input(a_scale)))[0];
        auto scales = to_floats(*graph_.constant(input(b_scale)));
        for (float& scale : scales) scale = a * scale;
        const Tensor scale = graph_.constant(input(b_scale))->dims.empty() ? Tensor::scalar(scales[0]) : Tensor::vector<float>(scales);
        return decoder_.real(input(form_.bias), graph_.add_constant(graph_.node(id_).name + "_bias_scale", scale), ValueId::none, 0, id_);
    }

    void finish(std::vector<ValueId> in) {
        const Attrs attrs = graph_.node(id_).attrs;
        decoder_.replace(id_, need_op(form_.plain), std::move(in), attrs, graph_.node(id_).out[0], input(form_.y_scale),
                         input(form_.y_zero));
    }

    Graph& graph_;
    Decoder& decoder_;
    NodeId id_;
    const Product& form_;
};

// com.microsoft's operators on codes of one scale each, and movement of codes.
class Expander {
   public:
    Expander(Graph& graph, Decoder& decoder, NodeId id) : graph_(graph), decoder_(decoder), id_(id) {}

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

    // All that is moved comes from QuantizeLinear nodes of one scale and zero point, or is constant.
    bool expand_mover() {
        const Node& node = graph_.node(id_);
        const size_t moved = has(node.op->traits, Trait::variadic_in) ? node.in.size() : 1;
        const Node* first = nullptr;  // a node with the scale and zero point of what is moved
        for (size_t i = 0; i < moved && !first; ++i) first = made_by(graph_, node.in[i], ops::QuantizeLinear);
        if (!first) first = only_decoder(node.out[0]);
        if (!first || first->in.size() < 3 || node.out.size() != 1) return false;
        const ValueId scale = first->in[1], zero = first->in[2];
        if (!is_byte_of(scale, scale) || !is_byte_of(zero, zero)) return false;
        for (size_t i = 0; i < moved; ++i) {
            if (is_byte_constant(node.in[i], node.out[0])) continue;
            const Node* maker = made_by(graph_, node.in[i], ops::QuantizeLinear);
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
    // The DequantizeLinear that reads `codes`, if nothing else does.
    const Node* only_decoder(ValueId codes) const {
        const NodeId reader = graph_.only_reader(codes);
        if (reader == NodeId::none) return nullptr;
        const Node& node = graph_.node(reader);
        return node.is(ops::DequantizeLinear) && node.in[0] == codes && NodeView(node).integer("block_size") == 0 ? &node : nullptr;
    }
    bool is_byte_constant(ValueId id, ValueId codes) const {
        return graph_.value(id).constant() && !graph_.value(id).enc && graph_.value(id).type.dtype == graph_.value(codes).type.dtype;
    }
    bool is_byte_of(ValueId a, ValueId b) const {
        if (!is_single(a) || !is_single(b)) return false;
        const Tensor x = *graph_.constant(a), y = *graph_.constant(b);
        return x.dtype == y.dtype && (x.dtype == DType::f32 ? to_floats(x) == to_floats(y)
                                                            : (x.dtype == DType::u8 || x.dtype == DType::i8) && to_ints(x) == to_ints(y));
    }

    // Before opset 13 a Softmax ran over all dims from its axis on.
    bool over_one_axis() const {
        const Node& node = graph_.node(id_);
        if (!node.is(ops::microsoft::QLinearSoftmax) || NodeView(node).integer("opset") >= 13) return true;
        const Shape& shape = graph_.value(node.in[0]).type.shape;
        return shape.ranked && normal_axis(NodeView(node).integer("axis"), shape.rank()) + 1 == shape.rank();
    }

    ValueId real(ValueId codes, ValueId scale, ValueId zero) { return decoder_.real(codes, scale, zero, -1, id_); }

    void finish(const Op* op, std::vector<ValueId> in, Attrs attrs, ValueId scale, ValueId zero) {
        decoder_.replace(id_, op, std::move(in), std::move(attrs), graph_.node(id_).out[0], scale, zero);
    }

    Graph& graph_;
    Decoder& decoder_;
    NodeId id_;
};

bool expand(Graph& graph, Decoder& decoder, NodeId id) {
    const Node& node = graph.node(id);
    for (const Product& product : products)
        if (node.is(product.op)) return ProductExpander(graph, decoder, id, product).run();
    if (node.op->domain == "com.microsoft") {
        const QLinearForm* form = qlinear_form_named(node.op->name);
        return form && Expander(graph, decoder, id).expand(*form);
    }
    return moves_codes(*node.op, std::numeric_limits<int>::max()) && Expander(graph, decoder, id).expand_mover();
}

}  // namespace

int expand_qlinear(Graph& graph) {
    Decoder decoder(graph);
    int changes = 0;
    for (int before = -1; before != changes;) {  // what moves constant codes is known when its readers are
        before = changes;
        for (const NodeId id : graph.topo())
            if (!graph.node(id).erased && expand(graph, decoder, id)) ++changes;
    }
    return changes;
}

}  // namespace quern
