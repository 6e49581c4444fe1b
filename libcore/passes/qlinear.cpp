#include "libcore/passes/qlinear.h"

#include <array>
#include <cmath>

#include "libcore/passes/shared.h"

namespace quern {
namespace {

// Where the operands of a QLinear operator are.
struct Form {
    std::string_view name, domain, plain;
    size_t bias, y_scale, y_zero;
    bool weights_by_rows;  // per-channel axis 0 of the weights, else the last
};
constexpr std::array forms{
    Form{"QLinearConv", "", "Conv", 8, 6, 7, true},
    Form{"QLinearMatMul", "", "MatMul", 99, 6, 7, false},
    Form{"QGemm", "com.microsoft", "Gemm", 6, 7, 8, false},
};

class Expander {
   public:
    Expander(Graph& graph, NodeId id, const Form& form) : graph_(graph), id_(id), form_(form), name_(graph.node(id).name) {}

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
        graph_.add_node(need_op(form_.plain), graph_.unique_node_name(name_ + "_product"), std::move(in), {result}, graph_.node(id_).attrs,
                        id_);
        take_over(graph_, y, need_op("QuantizeLinear"), {result, y_scale, y_zero});
    }

    Graph& graph_;
    NodeId id_;
    const Form& form_;
    std::string name_;
};

}  // namespace

int expand_qlinear(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order()))
        for (const Form& form : forms)
            if (!graph.node(id).erased && graph.node(id).op->name == form.name && graph.node(id).op->domain == form.domain &&
                Expander(graph, id, form).run())
                ++changes;
    return changes;
}

}  // namespace quern
