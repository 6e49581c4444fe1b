// DequantizeLinear -> operator [-> Relu or Clip] -> QuantizeLinear as one operator that takes and gives codes: QLinearConv,
// QLinearMatMul and QGemm, com.microsoft's QLinear operators, and whatever moves numbers without a look at them.
#include <algorithm>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/questions.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/passes/onnx/linear.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "libcore/support/operands.h"
#include "libcore/support/runtime.h"

namespace quern {
namespace {

// Codes and the constants that say what they mean: the operands of a Q or DQ node.
struct Codes {
    ValueId codes, scale, zero;
};

class Joiner {
   public:
    Joiner(Graph& graph, int opset) : graph_(graph), opset_(opset) {}

    void run() {
        for (const NodeId id : graph_.topo())
            if (!graph_.node(id).erased && graph_.node(id).op->domain.empty()) join(id);
        drop_unread();
        graph_.sort();
    }

   private:
    // ---- what stands around a node ------------------------------------------------------------------------------------

    const Node* maker(ValueId id, OpId op) const {
        if (id == ValueId::none || graph_.value(id).producer == NodeId::none) return nullptr;
        const Node& node = graph_.node(graph_.value(id).producer);
        return node.is(op) ? &node : nullptr;
    }
    const Node* only_reader(ValueId id) const {
        const NodeId reader = graph_.only_reader(id);
        return reader == NodeId::none ? nullptr : &graph_.node(reader);
    }
    bool is_byte(ValueId id) const {
        const DType dtype = graph_.value(id).type.dtype;
        return dtype == DType::u8 || dtype == DType::i8;
    }
    bool is_single(ValueId id) const { return graph_.constant(id) && graph_.constant(id)->count() == 1; }
    float scalar(ValueId id) const { return to_floats(*graph_.constant(id))[0]; }

    // The bytes behind a real value. `axis`: a scale for each slice along it will do, too.
    std::optional<Codes> codes_of(ValueId real, int64_t axis = -1) const {
        const Node* node = maker(real, ops::DequantizeLinear);
        if (!node || node->in.size() < 3 || !is_byte(node->in[0]) || NodeView(*node).integer("block_size") > 0) return std::nullopt;
        const bool sliced = axis >= 0 && NodeView(*node).integer("axis") == axis && graph_.constant(node->in[1]);
        if (!is_single(node->in[1]) && !sliced) return std::nullopt;
        return Codes{node->in[0], node->in[1], node->in[2]};
    }

    // The Q that alone reads the node's result, through a Relu or Clip that lets every code of it pass.
    std::optional<Codes> codes_behind(const Node& node) const {
        if (node.out.size() != 1) return std::nullopt;
        const Node* next = only_reader(node.out[0]);
        if (!next || next->in[0] != node.out[0]) return std::nullopt;
        const Node* activation = next->is(ops::QuantizeLinear) ? nullptr : next;
        const Node* q = activation ? only_reader(next->out[0]) : next;
        if (!q || !q->is(ops::QuantizeLinear) || q->in.size() != 3) return std::nullopt;
        if (!is_byte(q->out[0]) || !is_single(q->in[1])) return std::nullopt;
        const Codes codes{q->out[0], q->in[1], q->in[2]};
        if (activation && !passes_every_code(*activation, codes)) return std::nullopt;
        return codes;
    }

    bool passes_every_code(const Node& activation, const Codes& to) const {
        const auto bounds = clip_bounds(graph_, activation);
        if (!bounds) return false;
        const IntRange range = int_range(graph_.value(to.codes).type.dtype);
        const int64_t zero = to_ints(*graph_.constant(to.zero))[0];
        const auto code = [&](float real) { return quantize_one(real, scalar(to.scale), zero, range.min, range.max); };
        return code(bounds->low) == range.min && code(bounds->high) == range.max;
    }

    bool same(const Codes& a, const Codes& b) const {
        return graph_.value(a.codes).type.dtype == graph_.value(b.codes).type.dtype && scalar(a.scale) == scalar(b.scale) &&
               to_ints(*graph_.constant(a.zero))[0] == to_ints(*graph_.constant(b.zero))[0];
    }
    bool same_type(const Codes& a, const Codes& b) const { return graph_.value(a.codes).type.dtype == graph_.value(b.codes).type.dtype; }

    // ---- one operator -------------------------------------------------------------------------------------------------

    void join(NodeId id) {
        const Node& node = graph_.node(id);
        if (node.is(ops::Conv, ops::MatMul, ops::Gemm)) {
            join_product(id);
            return;
        }
        const auto to = codes_behind(node);
        if (to && !join_mover(id, *to)) join_form(id, *to);
    }

    // int32 codes of a bias in steps of input times weight, as the operators take it.
    std::optional<ValueId> bias_codes(ValueId bias, const Codes& x, const Codes& w) const {
        const Node* node = maker(bias, ops::DequantizeLinear);
        if (!node || graph_.value(node->in[0]).type.dtype != DType::i32 || node->in.size() > 2 || !graph_.constant(node->in[1]))
            return std::nullopt;
        const auto scales = to_floats(*graph_.constant(node->in[1])), weights = to_floats(*graph_.constant(w.scale));
        for (size_t i = 0; i < std::max(scales.size(), weights.size()); ++i)
            if (scales[scales.size() == 1 ? 0 : i] != scalar(x.scale) * weights[weights.size() == 1 ? 0 : i]) return std::nullopt;
        return node->in[0];
    }

    // The Add of a bias of rank 1 in codes that a product of matrices has behind it, and the bias; nullptr: there is none.
    std::pair<const Node*, ValueId> added_bias(const Node& node) const {
        const Node* add = node.is(ops::MatMul) ? only_reader(node.out[0]) : nullptr;
        if (!add || !add->is(ops::Add) || !is_matrix(node.in[0])) return {nullptr, ValueId::none};
        const ValueId other = add->in[add->in[0] == node.out[0] ? 1 : 0];
        const Node* dq = maker(other, ops::DequantizeLinear);
        const bool fits = dq && graph_.value(dq->in[0]).type.dtype == DType::i32 && graph_.value(other).type.shape.rank() == 1;
        return fits ? std::pair(add, other) : std::pair(nullptr, ValueId::none);
    }

    void join_product(NodeId id) {
        const Node& node = graph_.node(id);
        const auto [add, added] = added_bias(node);
        const Node* last = add ? add : &node;  // of the float nodes before Q
        const ValueId bias = add ? added : node.in.size() > 2 ? node.in[2] : ValueId::none;
        const bool gemm = add || node.is(ops::Gemm), conv = node.is(ops::Conv);
        const Shape& shape = graph_.value(node.in[1]).type.shape;
        const bool sliced = shape.ranked && (!node.is(ops::MatMul) || shape.rank() == 2);
        const auto x = codes_of(node.in[0]), w = codes_of(node.in[1], sliced ? weight_axis_of(node, shape.rank()) : -1),
                   to = codes_behind(*last);
        if (!x || !w || !to || !same_type(*x, *to)) return;
        ValueId bias_at = ValueId::none;
        if (bias != ValueId::none) {
            const auto codes = bias_codes(bias, *x, *w);
            if (!codes) return;
            bias_at = *codes;
        }
        std::vector<ValueId> in{x->codes, x->scale, x->zero, w->codes, w->scale, w->zero};
        if (gemm) {
            if (node.is(ops::Gemm) && (NodeView(node).real("alpha") != 1 || NodeView(node).real("beta") != 1)) return;
            in.push_back(bias_at);
        }
        in.push_back(to->scale);
        in.push_back(to->zero);
        if (conv && bias_at != ValueId::none) in.push_back(bias_at);
        Attrs attrs = node.attrs;
        attrs.erase("beta");
        const Op* op = need_op(conv ? ops::QLinearConv : gemm ? ops::microsoft::QGemm : ops::QLinearMatMul);
        if (has_kernel(op, in, *to)) replace(id, *to, op, std::move(in), std::move(attrs));
    }
    // Operators on codes are of use only where onnxruntime has them.
    bool has_kernel(const Op* op, const std::vector<ValueId>& in, const Codes& to) const {
        Node node;
        node.op = op;
        node.in = in;
        node.out = {to.codes};
        return !support::refusal(support::runtime_named("onnxruntime"), graph_, node, opset_);
    }
    bool is_matrix(ValueId id) const {
        const Shape& shape = graph_.value(id).type.shape;
        return shape.ranked && shape.rank() == 2;
    }

    // Numbers that are moved are moved as codes, if they mean the same before and after.
    bool join_mover(NodeId id, const Codes& to) {
        const Node& node = graph_.node(id);
        if (!moves_codes(*node.op, opset_)) return false;
        std::vector<ValueId> in = node.in;
        for (size_t i = 0; i < (has(node.op->traits, Trait::variadic_in) ? in.size() : 1); ++i) {
            const auto from = codes_of(in[i]);
            if (!from || !same(*from, to)) return false;
            in[i] = from->codes;
        }
        replace(id, to, node.op, std::move(in), node.attrs);
        return true;
    }

    void join_form(NodeId id, const Codes& to) {
        using Order = QLinearForm::Order;
        const Node& node = graph_.node(id);
        const QLinearForm* form = qlinear_form_of(node);
        const auto encoding = form ? linear_encoding(graph_, graph_.node(graph_.value(to.codes).producer)) : std::nullopt;
        if (!form || (encoding && !holds_results(node, *encoding))) return;
        std::vector<ValueId> in;
        if (form->order == Order::output_then_operands) in = {to.scale, to.zero};
        for (size_t i = 0; i < node.in.size(); ++i) {
            if (i == 0 && form->order == Order::condition_first) {
                in.push_back(node.in[0]);
                continue;
            }
            const auto from = codes_of(node.in[i]);
            if (!from || !same_type(*from, to)) return;
            in.insert(in.end(), {from->codes, from->scale, from->zero});
        }
        if (form->order != Order::output_then_operands) in.insert(in.end(), {to.scale, to.zero});
        const Op* op = need_op(form->qlinear, "com.microsoft");
        if (has_kernel(op, in, to)) replace(id, to, op, std::move(in), qlinear_attributes(node));
    }

    void replace(NodeId id, const Codes& to, const Op* op, std::vector<ValueId> in, Attrs attrs) {
        const std::string name = graph_.node(id).name;
        graph_.erase(graph_.value(to.codes).producer);
        const NodeId joined =
            graph_.add_node(op, graph_.unique_node_name(name + "_quant"), std::move(in), {to.codes}, std::move(attrs), id);
        graph_.node(joined).scope = graph_.node(id).scope;
    }

    // The float nodes around what was joined, if nobody else reads them, and what only they have read.
    void drop_unread() {
        const std::vector<NodeId> order = graph_.topo();
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            const auto& outs = graph_.node(*it).out;
            if (!std::all_of(outs.begin(), outs.end(), [&](ValueId out) { return out == ValueId::none || graph_.uses(out).empty(); }))
                continue;
            std::vector<ValueId> gone = outs;
            for (const ValueId in : graph_.node(*it).in)
                if (in != ValueId::none && graph_.value(in).constant()) gone.push_back(in);
            graph_.erase(*it);
            std::ranges::sort(gone);
            gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
            for (const ValueId id : gone)
                if (id != ValueId::none && graph_.uses(id).empty() && !graph_.is_output(id)) graph_.erase(id);
        }
    }

    Graph& graph_;
    int opset_;
};

}  // namespace

void join_qoperators(Graph& graph, int opset) { Joiner(graph, opset).run(); }

}  // namespace quern
