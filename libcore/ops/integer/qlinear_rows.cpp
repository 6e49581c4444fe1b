// The onnx profile: operators between encoded values by onnxruntime's QLinear operator of the same name (QLinearAdd for Add ...), whose
// rows do on codes what its QDQ models are run as: 8-bit codes of one type, per tensor.
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/qlinear_forms.h"

namespace quern {
namespace {

using Order = QLinearForm::Order;

bool is_plain_byte(const std::optional<Encoding>& e) {
    if (!e || !e->plain_integer(8) || e->scale.dtype != DType::f32) return false;
    return (e->storage == DType::u8 && e->qmin == 0 && e->qmax == 255) || (e->storage == DType::i8 && e->qmin == -128 && e->qmax == 127);
}

Node as_qlinear(const Node& node, const QLinearForm& form) {
    Node out;
    out.op = need_op(form.qlinear, "com.microsoft");
    out.name = node.name;
    out.attrs = qlinear_attributes(node);
    out.in.resize(3 * node.in.size() + 3, ValueId::none);
    out.out = node.out;
    return out;
}

struct NodeHolder {
    Node held;
};

// The operator's view of the node: codes, scales and zero points in its own order.
class QLinearCtx : private NodeHolder, public EvalCtx {
   public:
    QLinearCtx(EvalCtx& outer, const QLinearForm& form)
        : NodeHolder{as_qlinear(outer.node(), form)}, EvalCtx(NodeHolder::held), outer_(outer) {
        if (form.order == Order::output_then_operands) add(*outer.out_encoding(0));
        for (size_t i = 0; i < outer.in_count(); ++i) {
            inputs_.push_back(outer.need(i));
            if (form.order != Order::condition_first || i > 0) add(*outer.in_encoding(i));
        }
        if (form.order != Order::output_then_operands) add(*outer.out_encoding(0));
    }

    size_t in_count() const override { return inputs_.size(); }
    size_t out_count() const override { return 1; }
    const Tensor* in(size_t i) const override { return i < inputs_.size() ? &inputs_[i] : nullptr; }
    bool wants(size_t i) const override { return i == 0; }
    std::byte* out(size_t i, DType dtype, Dims dims) override { return outer_.out(i, dtype, std::move(dims)); }
    void give(size_t i, Tensor tensor) override { outer_.give(i, std::move(tensor)); }
    const Encoding* in_encoding(size_t) const override { return nullptr; }
    const Encoding* out_encoding(size_t) const override { return nullptr; }
    std::vector<Tensor> run_body(size_t, std::span<const Tensor>) override { throw bug("a quantized operator without bodies"); }
    uint64_t seed() const override { return 0; }

   private:
    void add(const Encoding& encoding) {
        const float scale = to_floats(encoding.scale)[0];
        const std::vector<int64_t> zero = encoding.zeros();
        inputs_.push_back(Tensor::scalar(scale));
        inputs_.push_back(from_ints(encoding.storage, {}, zero));
    }

    EvalCtx& outer_;
    std::vector<Tensor> inputs_;
};

bool fits_qlinear(const Graph& graph, const Node& node, const Encoding& out) {
    const QLinearForm* form = qlinear_form_of(node);
    if (!form || node.out.size() != 1 || node.in.empty() || !is_plain_byte(out) || !holds_results(node, out) ||
        is_between_types(graph, node))
        return false;
    for (size_t i = form->order == Order::condition_first ? 1 : 0; i < node.in.size(); ++i) {
        if (node.in[i] == ValueId::none) return false;
        const auto& in = graph.value(node.in[i]).enc;
        if (!is_plain_byte(in) || in->storage != out.storage) return false;
    }
    return true;
}
constexpr Takes takes_qlinear{
    fits_qlinear,
    "operands and the result in one of int8 and uint8, with all 256 codes and one float32 scale each, no dilations; of "
    "int8 a Softmax between values that both have one reader, or both more"};

void eval_qlinear(EvalCtx& ctx) {
    QLinearCtx inner(ctx, *qlinear_form_of(ctx.node()));
    inner.node().op->eval(inner);
}

// An activation behind one does nothing to its codes if it lets all of them pass.
constexpr ProfileRow qlinear(OpId op) { return {op, takes_qlinear, eval_qlinear, true}; }
constexpr std::array qlinear_table{
    qlinear(ops::Add),     qlinear(ops::Mul),         qlinear(ops::Sigmoid),           qlinear(ops::LeakyRelu),
    qlinear(ops::Softmax), qlinear(ops::AveragePool), qlinear(ops::GlobalAveragePool), qlinear(ops::Concat),
    qlinear(ops::Where)};

}  // namespace

std::span<const ProfileRow> onnx_qlinear_rows() { return qlinear_table; }

}  // namespace quern
