// DequantizeLinear -> Conv / MatMul / Gemm [-> Relu] -> QuantizeLinear as QLinearConv, QLinearMatMul, QGemm: operators that take codes.
#include <algorithm>

#include "libcore/graph/op.h"
#include "libcore/quant/export.h"

namespace quern {
namespace {

class Joiner {
   public:
    explicit Joiner(Graph& graph) : graph_(graph) {}

    void run() {
        for (const NodeId id : graph_.topo())
            if (!graph_.node(id).erased) join(id);
        drop_unread();
        graph_.sort();
    }

   private:
    const Node* maker(ValueId id, std::string_view op) const {
        if (id == ValueId::none || graph_.value(id).producer == NodeId::none) return nullptr;
        const Node& node = graph_.node(graph_.value(id).producer);
        return node.op->name == op && node.op->domain.empty() ? &node : nullptr;
    }
    const Node* only_reader(ValueId id) const {
        const auto uses = graph_.uses(id);
        return uses.size() == 1 && uses[0].node != NodeId::none && uses[0].index == 0 ? &graph_.node(uses[0].node) : nullptr;
    }
    bool is_byte(ValueId id) const {
        const DType dtype = graph_.value(id).type.dtype;
        return dtype == DType::u8 || dtype == DType::i8;
    }

    // The Q behind the product, through a Relu whose zero is the least code.
    const Node* quantize_behind(ValueId out) const {
        const Node* next = only_reader(out);
        if (!next || !next->op->domain.empty()) return nullptr;
        if (next->op->name == "Relu") {
            const Node* behind = only_reader(next->out[0]);
            if (!behind || behind->op->name != "QuantizeLinear" || behind->in.size() < 3) return nullptr;
            const auto zero = graph_.constant(behind->in[2]);
            const int64_t least = zero && zero->dtype == DType::i8 ? -128 : 0;
            return zero && to_ints(*zero)[0] == least ? behind : nullptr;
        }
        return next->op->name == "QuantizeLinear" && next->in.size() == 3 ? next : nullptr;
    }

    void join(NodeId id) {
        const Node& node = graph_.node(id);
        const bool conv = node.op->name == "Conv", matmul = node.op->name == "MatMul", gemm = node.op->name == "Gemm";
        if (!node.op->domain.empty() || (!conv && !matmul && !gemm)) return;
        const Node *x = maker(node.in[0], "DequantizeLinear"), *w = maker(node.in[1], "DequantizeLinear"),
                   *q = quantize_behind(node.out[0]);
        if (!x || !w || !q || x->in.size() < 3 || w->in.size() < 3 || !is_byte(x->in[0]) || !is_byte(w->in[0]) || !is_byte(q->out[0]))
            return;
        const ValueId bias = node.in.size() > 2 ? node.in[2] : ValueId::none;
        ValueId bias_codes = ValueId::none;
        if (bias != ValueId::none) {
            const Node* b = maker(bias, "DequantizeLinear");
            if (!b || graph_.value(b->in[0]).type.dtype != DType::i32) return;
            bias_codes = b->in[0];
        }
        std::vector<ValueId> in{x->in[0], x->in[1], x->in[2], w->in[0], w->in[1], w->in[2]};
        if (gemm) {
            if (NodeView(node).real("alpha") != 1 || NodeView(node).real("beta") != 1) return;
            in.push_back(bias_codes);
        }
        in.push_back(q->in[1]);
        in.push_back(q->in[2]);
        if (conv && bias_codes != ValueId::none) in.push_back(bias_codes);
        replace(id, graph_.value(q->out[0]).producer,
                conv     ? "QLinearConv"
                : matmul ? "QLinearMatMul"
                         : "QGemm",
                gemm ? "com.microsoft" : "", std::move(in));
    }

    void replace(NodeId product, NodeId quantize, std::string_view op, std::string_view domain, std::vector<ValueId> in) {
        const ValueId codes = graph_.node(quantize).out[0];
        const std::string name = graph_.node(product).name;
        Attrs attrs = graph_.node(product).attrs;
        attrs.erase("beta");
        graph_.erase(quantize);
        const NodeId joined = graph_.add_node(need_op(op, domain), graph_.unique_node_name(name + "_quant"), std::move(in), {codes},
                                              std::move(attrs), product);
        graph_.node(joined).scope = graph_.node(product).scope;
    }

    // The float nodes around a joined product, if nobody else reads them.
    void drop_unread() {
        const std::vector<NodeId> order = graph_.topo();
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            const auto& outs = graph_.node(*it).out;
            if (!std::all_of(outs.begin(), outs.end(), [&](ValueId out) { return out == ValueId::none || graph_.uses(out).empty(); }))
                continue;
            const std::vector<ValueId> gone = outs;
            graph_.erase(*it);
            for (const ValueId out : gone)
                if (out != ValueId::none) graph_.erase(out);
        }
    }

    Graph& graph_;
};

}  // namespace

void join_qoperators(Graph& graph) { Joiner(graph).run(); }

}  // namespace quern
