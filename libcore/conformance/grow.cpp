#include "libcore/conformance/grow.h"

#include <algorithm>
#include <array>
#include <optional>

#include "libcore/conformance/pattern.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/shared/eval_node.h"

namespace quern::random_graphs {
namespace {

constexpr double largest = 1000;
constexpr int64_t more_of_large = 30;  // elements, than others have
constexpr size_t versions = 3;         // of each value: as it is, and with errors

// A value at hand.
struct Held {
    ValueId id;
    std::array<Tensor, versions> is;
};

struct Attempt {
    Graph graph;
    std::vector<Tensor> sample;
    std::vector<Held> held;
};

bool lies_in(const Tensor& tensor, double low, double high) {
    return std::ranges::all_of(to_doubles(tensor), [&](double x) { return x >= low && x <= high; });
}

// As large as what sums in another order make of it, and ten times more than may be seen.
Tensor with_errors(const Tensor& tensor, const Op& op, Draw& draw) {
    if (!is_float(tensor.dtype) || has(op.traits, Trait::data_movement)) return tensor;
    auto items = to_doubles(tensor);
    double max = 0;
    for (const double item : items) max = std::max(max, std::abs(item));
    const bool single = has(op.traits, Trait::elementwise);
    for (double& item : items) item += draw.real(-0.1, 0.1) * tolerance_of(tensor.dtype) * (single ? std::abs(item) : max);
    return from_doubles(tensor.dtype, tensor.dims, items);
}

// Is what errors make of it below half the tolerance?
bool is_steady(const Tensor& is, const Tensor& other) {
    if (is.dims != other.dims || is.dtype != other.dtype) return false;
    if (!is_float(is.dtype)) return identical(is, other);
    const auto a = to_doubles(is), b = to_doubles(other);
    double apart = 0, max = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        if (!(std::abs(a[i]) <= largest)) return false;
        max = std::max(max, std::abs(a[i]));
        apart = std::max(apart, std::abs(a[i] - b[i]));
    }
    return apart <= max * tolerance_of(is.dtype) / 2;
}

// One node, drawn into a copy of the graph.
class NodeDrawing {
   public:
    NodeDrawing(Draw& draw, const Attempt& from, const Wish& wish) : draw_(draw), wish_(wish), letters_(draw, wish.large), attempt_(from) {}

    Attempt take(const Op& op) {
        const Hint hint = hint_for(op);
        max_ = hint.max * (wish_.large ? more_of_large : 1);
        type_ = type_for(op);
        std::vector<ValueId> in;
        for (const Operand& operand : operands_of(hint)) {
            in.push_back(operand.absent || (operand.optional && draw_.chance(40)) ? ValueId::none : value_for(operand, in.empty()));
            if (in.size() == 1) letters_.set_first(in[0] == ValueId::none ? Dims{} : held(in[0]).is[0].dims);
        }
        while (!in.empty() && in.back() == ValueId::none) in.pop_back();
        Attrs attrs = attributes_of(hint, op, letters_, draw_);
        std::vector<ValueId> out;
        for (int i = 0; i < std::max<int>(hint.outputs, op.out.min); ++i)
            out.push_back(attempt_.graph.add_value(attempt_.graph.unique_name("v"), Type{}));
        const NodeId id = attempt_.graph.add_node(&op, attempt_.graph.unique_node_name(op.name), in, out, std::move(attrs));
        infer_types(attempt_.graph);
        verify(attempt_.graph);
        compute(attempt_.graph.node(id));
        return std::move(attempt_);
    }

   private:
    Hint hint_for(const Op& op) {
        const std::vector<Hint> hints = hints_of(op);
        const Hint& any = draw_.pick(hints);
        return !wish_.first.empty() && wish_.first[0] == &op && wish_.pattern < hints.size() ? hints[wish_.pattern] : any;
    }

    Held& held(ValueId id) {
        for (auto* list : {&attempt_.held, &constants_})
            for (Held& one : *list)
                if (one.id == id) return one;
        throw bug("a value is not at hand");
    }

    DType type_for(const Op& op) {
        constexpr std::array types{DType::f64, DType::f16, DType::bf16, DType::i8,     DType::i16,
                                   DType::i32, DType::i64, DType::u8,   DType::boolean};
        if (op.types.empty()) return DType::f32;  // of a library, which does not say
        if (op.types.has(DType::f32) && (wish_.for_codes || draw_.chance(75))) return DType::f32;
        std::vector<DType> fit;
        for (const DType type : types)
            if (op.types.has(type)) fit.push_back(type);
        if (fit.empty() || wish_.for_codes) throw Letters::Misfit{};
        return draw_.pick(fit);
    }
    DType type_of(char letter) const {
        switch (letter) {
            case 'f': return DType::f32;
            case 'i': return DType::i64;
            case 'n': return DType::i32;
            case 'b': return DType::boolean;
            case 'u': return DType::u8;
            case 's': return DType::i8;
            default: return type_;
        }
    }

    ValueId value_for(const Operand& operand, bool first) {
        const DType dtype = type_of(operand.type);
        if (!operand.constant && draw_.chance(first ? 85 : 70))
            if (const auto found = at_hand(operand, dtype)) return *found;
        return fresh(operand, dtype, first);
    }

    std::optional<ValueId> at_hand(const Operand& operand, DType dtype) {
        const size_t count = attempt_.held.size();
        if (count == 0) return std::nullopt;
        const size_t start = draw_.chance(50) ? 0 : static_cast<size_t>(draw_.number(0, static_cast<int64_t>(count) - 1));
        for (size_t i = 0; i < count; ++i) {
            const Held& one = attempt_.held[count - 1 - (start + i) % count];  // the last ones first
            const Letters before = letters_;
            if (one.is[0].dtype == dtype && fits(operand, one.is[0])) return one.id;
            letters_.restore(before);
        }
        return std::nullopt;
    }

    bool fits(const Operand& operand, const Tensor& tensor) {
        if (operand.dims == std::vector<std::string>{"~"}) {
            try {
                if (broadcast(letters_.first(), tensor.dims) != letters_.first()) return false;
            } catch (const Error&) {
                return false;
            }
        } else if (!letters_.match(operand.dims, tensor.dims)) {
            return false;
        }
        return operand.high.empty() || lies_in(tensor, letters_.real(operand.low), letters_.real(operand.high));
    }

    ValueId fresh(const Operand& operand, DType dtype, bool first) {
        const Dims dims = letters_.dims(operand.dims);
        if (count_of(dims) > max_) throw Letters::Misfit{};
        Tensor tensor = numbers(operand, dtype, dims);
        Graph& graph = attempt_.graph;
        if (operand.constant || (!first && draw_.chance(50))) {
            const ValueId id = graph.add_constant(graph.unique_name("c"), tensor);
            constants_.push_back({id, {tensor, tensor, tensor}});
            return id;
        }
        const ValueId id = graph.add_value(graph.unique_name("x"), Type::tensor(dtype, Shape::of(dims)));
        graph.inputs.push_back(id);
        attempt_.sample.push_back(tensor);
        attempt_.held.push_back({id, {tensor, tensor, tensor}});
        return id;
    }

    Tensor numbers(const Operand& operand, DType dtype, const Dims& dims) {
        if (!operand.items.empty()) {
            std::vector<int64_t> items;
            while (static_cast<int64_t>(items.size()) < count_of(dims))
                for (const std::string& item : operand.items) items.push_back(letters_.item(item));
            items.resize(static_cast<size_t>(count_of(dims)));
            return from_ints(dtype, dims, items);
        }
        double low = is_float(dtype)                                                                           ? -1.5
                     : dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64 ? -4
                                                                                                               : 0;
        double high = is_float(dtype) ? 1.5 : dtype == DType::boolean ? 1 : 7;
        if (!operand.high.empty()) low = letters_.real(operand.low), high = letters_.real(operand.high);
        if (low > high) throw Letters::Misfit{};
        return draw_.tensor(dtype, dims, low, high);
    }

    void compute(const Node& node) {
        std::array<std::vector<Tensor>, versions> made;
        for (size_t v = 0; v < versions; ++v) {
            std::vector<Tensor> in;
            for (const ValueId id : node.in) in.push_back(id == ValueId::none ? Tensor{} : held(id).is[v]);
            made[v] = eval_node(node, in);
        }
        for (size_t i = 0; i < node.out.size(); ++i) {
            const Tensor& is = made[0].at(i);
            if (!is.defined() || is.count() == 0 || is.count() > max_) throw Letters::Misfit{};
            Held one{node.out[i], {is, {}, {}}};
            for (size_t v = 1; v < versions; ++v) {
                if (!is_steady(is, made[v].at(i))) throw Letters::Misfit{};
                one.is[v] = with_errors(made[v][i], *node.op, draw_);
            }
            attempt_.held.push_back(std::move(one));
        }
    }

    Draw& draw_;
    const Wish& wish_;
    Letters letters_;
    Attempt attempt_;
    std::vector<Held> constants_;
    DType type_ = DType::f32;
    int64_t max_ = 0;  // elements of a value
};

bool add_node(Draw& draw, const Wish& wish, const Op& op, Attempt& attempt) {
    try {
        attempt = NodeDrawing(draw, attempt, wish).take(op);
        return true;
    } catch (const Letters::Misfit&) {
    } catch (const Error& error) {
        if (error.exit() != Exit::bad_input && error.exit() != Exit::unsupported) throw;
    }
    return false;
}

constexpr std::array net_ops{ops::Conv,    ops::Conv,    ops::Conv,        ops::Relu,   ops::Clip,   ops::Sigmoid,
                             ops::Tanh,    ops::Add,     ops::HardSwish,   ops::PRelu,  ops::Add,    ops::LeakyRelu,
                             ops::Sub,     ops::Mul,     ops::Mul,         ops::Concat, ops::Gemm,   ops::GlobalAveragePool,
                             ops::MaxPool, ops::Flatten, ops::AveragePool, ops::MatMul, ops::Resize, ops::BatchNormalization,
                             ops::Softmax, ops::Pad,     ops::ReduceMean,  ops::Split,  ops::Slice,  ops::Transpose};
constexpr std::array chain_ops{ops::Neg,         ops::Abs,       ops::Erf,  ops::Sigmoid,    ops::Tanh, ops::Relu, ops::LeakyRelu,
                               ops::HardSigmoid, ops::HardSwish, ops::Gelu, ops::Reciprocal, ops::Exp,  ops::Sqrt, ops::Clip,
                               ops::PRelu,       ops::Add,       ops::Add,  ops::Sub,        ops::Mul,  ops::Mul,  ops::Div};

const Op& some_op(Draw& draw, const Wish& wish) {
    if (wish.of == Wish::Of::net) return *need_op(draw.pick(net_ops));
    if (wish.of == Wish::Of::chain) return *need_op(draw.pick(chain_ops));
    static const std::vector<const Op*> all = drawable_ops();
    for (;;) {
        const Op& op = *draw.pick(all);
        const bool ruled = op.quant.kind != QuantRule::Kind::keep_float || has(op.traits, Trait::data_movement);
        if (!wish.for_codes || (op.types.has(DType::f32) && (ruled || draw.chance(5)))) return op;
    }
}

// Results that nobody reads, and now and then one that is read, too.
void choose_outputs(Draw& draw, Graph& graph) {
    for (const NodeId id : graph.order())
        for (const ValueId out : graph.node(id).out)
            if (graph.uses(out).empty() || draw.chance(8)) graph.outputs.push_back(out);
}

}  // namespace

double tolerance_of(DType dtype) {
    if (dtype == DType::f16) return 1e-3;
    return dtype == DType::bf16 ? 8e-3 : 1e-5;
}

std::vector<const Op*> drawable_ops() {
    std::vector<const Op*> found;
    for (const Op* op : all_ops())
        if (op->eval && !has(op->traits, Trait::random) && !has(op->traits, Trait::control_flow)) found.push_back(op);
    return found;
}

RandomGraph grow(Draw& draw, const Wish& wish) {
    Attempt attempt;
    const auto wanted = static_cast<size_t>(draw.number(static_cast<int64_t>(wish.min), static_cast<int64_t>(wish.max)));
    for (int tries = 0; wish.of == Wish::Of::net && tries < 20 && !add_node(draw, wish, *need_op(ops::Conv), attempt);) ++tries;
    for (const Op* op : wish.first)
        for (int tries = 0; tries < 20 && !add_node(draw, wish, *op, attempt);) ++tries;
    for (int tries = 0; tries < 200 && attempt.graph.order().size() < wanted; ++tries) add_node(draw, wish, some_op(draw, wish), attempt);
    choose_outputs(draw, attempt.graph);
    infer_types(attempt.graph);
    verify(attempt.graph);
    std::vector<const Op*> ops;
    for (const NodeId id : attempt.graph.order()) ops.push_back(attempt.graph.node(id).op);
    return {std::move(attempt.graph), std::move(attempt.sample), std::move(ops)};
}

}  // namespace quern::random_graphs
