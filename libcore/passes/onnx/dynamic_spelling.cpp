#include "libcore/passes/onnx/dynamic_spelling.h"

#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr float least_code = -128, greatest_code = 127;

class Speller {
   public:
    Speller(Graph& graph, const std::string& name) : graph_(graph), name_(name) {}

    ValueId number(std::string_view what, float number) { return graph_.add_constant(label(what), Tensor::scalar(number)); }
    ValueId node(std::string_view what, OpId op, std::vector<ValueId> in, DType type = DType::f32, Attrs attrs = {}) {
        const ValueId out = graph_.add_value(label(what), Type::tensor(type, Shape::of({})));
        graph_.add_node(need_op(op), graph_.unique_node_name(label(what)), std::move(in), {out}, std::move(attrs));
        return out;
    }
    std::string label(std::string_view what) const { return graph_.unique_name(name_ + "_" + std::string(what)); }

   private:
    Graph& graph_;
    const std::string& name_;
};

// `id` made by `op` of an operand and, as input `at`, a number.
const Node* made_with(const Graph& graph, ValueId id, OpId op, size_t at, float number) {
    const Node* node = made_by(graph, id, op);
    return node && at < node->in.size() && scalar_of(graph, node->in[at]) == number ? node : nullptr;
}

// The one number that an operator makes of all of x.
bool is_reduced(const Graph& graph, ValueId id, OpId op, ValueId x) {
    const Node* node = made_by(graph, id, op);
    return node && node->in[0] == x && input_of(*node, 1) == ValueId::none && NodeView(*node).integer("keepdims") == 0;
}

// Where(width == 0, 1, width / steps); the width.
ValueId width_of(const Graph& graph, ValueId scale, float steps) {
    const Node* choice = made_with(graph, scale, ops::Where, 1, 1);
    const Node* quotient = choice ? made_with(graph, choice->in[2], ops::Div, 1, steps) : nullptr;
    const Node* flat = quotient ? made_with(graph, choice->in[0], ops::Equal, 1, 0) : nullptr;
    return flat && flat->in[0] == quotient->in[0] ? flat->in[0] : ValueId::none;
}

bool is_symmetric(const Graph& graph, ValueId x, ValueId scale, ValueId zero) {
    const ValueId greatest = width_of(graph, scale, greatest_code);
    const Node* reduced = greatest == ValueId::none ? nullptr : made_by(graph, greatest, ops::ReduceMax);
    const Node* size = reduced ? made_by(graph, reduced->in[0], ops::Abs) : nullptr;
    const auto code = graph.constant(zero);
    return size && size->in[0] == x && is_reduced(graph, greatest, ops::ReduceMax, size->out[0]) && code && code->count() == 1 &&
           to_ints(*code)[0] == 0;
}

bool is_asymmetric(const Graph& graph, ValueId x, ValueId scale, ValueId zero) {
    const ValueId width = width_of(graph, scale, greatest_code - least_code);
    const Node* span = width == ValueId::none ? nullptr : made_by(graph, width, ops::Sub);
    const Node* high = span ? made_with(graph, span->in[0], ops::Max, 1, 0) : nullptr;
    const Node* low = span ? made_with(graph, span->in[1], ops::Min, 1, 0) : nullptr;
    if (!high || !low || !is_reduced(graph, high->in[0], ops::ReduceMax, x) || !is_reduced(graph, low->in[0], ops::ReduceMin, x))
        return false;
    const Node* cast = made_by(graph, zero, ops::Cast);
    const Node* choice = cast ? made_with(graph, cast->in[0], ops::Where, 1, 0) : nullptr;
    const Node* round = choice ? made_by(graph, choice->in[2], ops::Round) : nullptr;
    const Node* clip = round ? made_with(graph, round->in[0], ops::Clip, 1, least_code) : nullptr;
    const Node* sum =
        clip && scalar_of(graph, input_of(*clip, 2)) == greatest_code ? made_with(graph, clip->in[0], ops::Sub, 0, least_code) : nullptr;
    const Node* steps = sum ? made_by(graph, sum->in[1], ops::Div) : nullptr;
    return steps && steps->in[0] == low->out[0] && steps->in[1] == scale && choice->in[0] == made_by(graph, scale, ops::Where)->in[0];
}

}  // namespace

Encoding dynamic_codes(DType storage, bool symmetric) {
    Encoding encoding = make_encoding(storage, {}, {}, -1, symmetric);
    encoding.kind = Encoding::Kind::dynamic;
    return encoding;
}

DynamicGrid spell_dynamic_grid(Graph& graph, ValueId x, const Encoding& encoding, const std::string& name) {
    Speller spell(graph, name);
    const Attrs whole{{"keepdims", int64_t{0}}};
    const auto scale_of = [&](ValueId width, float steps) {
        const ValueId flat = spell.node("flat", ops::Equal, {width, spell.number("none", 0)}, DType::boolean);
        const ValueId share = spell.node("share", ops::Div, {width, spell.number("steps", steps)});
        return std::pair(flat, spell.node("scale", ops::Where, {flat, spell.number("one", 1), share}));
    };
    if (encoding.qmin == -encoding.qmax) {
        const ValueId sizes = graph.add_value(spell.label("sizes"), graph.value(x).type);
        graph.add_node(need_op(ops::Abs), graph.unique_node_name(name + "_sizes"), {x}, {sizes});
        const ValueId scale = scale_of(spell.node("greatest", ops::ReduceMax, {sizes}, DType::f32, whole), greatest_code).second;
        return {scale, graph.add_constant(spell.label("zero"), Tensor::scalar(int8_t{0}))};
    }
    const ValueId low = spell.node("low", ops::Min, {spell.node("least", ops::ReduceMin, {x}, DType::f32, whole), spell.number("none", 0)});
    const ValueId high =
        spell.node("high", ops::Max, {spell.node("greatest", ops::ReduceMax, {x}, DType::f32, whole), spell.number("none", 0)});
    const auto [flat, scale] = scale_of(spell.node("width", ops::Sub, {high, low}), greatest_code - least_code);
    const ValueId least = spell.number("least_code", least_code);
    const ValueId raised = spell.node("raised", ops::Sub, {least, spell.node("below", ops::Div, {low, scale})});
    const ValueId clipped = spell.node("clipped", ops::Clip, {raised, least, spell.number("greatest_code", greatest_code)});
    const ValueId chosen = spell.node("chosen", ops::Where, {flat, spell.number("none", 0), spell.node("whole", ops::Round, {clipped})});
    return {scale, spell.node("zero", ops::Cast, {chosen}, DType::i8, {{"to", int64_t{row_of(DType::i8).onnx}}})};
}

std::optional<Encoding> spelled_dynamic(const Graph& graph, ValueId x, ValueId scale, ValueId zero) {
    if (is_symmetric(graph, x, scale, zero)) return dynamic_codes(DType::i8, true);
    if (is_asymmetric(graph, x, scale, zero)) return dynamic_codes(DType::i8);
    return std::nullopt;
}

}  // namespace quern
