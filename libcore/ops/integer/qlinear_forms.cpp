#include "libcore/ops/integer/qlinear_forms.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

using Order = QLinearForm::Order;

constexpr std::array forms{
    QLinearForm{"Add", "QLinearAdd"},
    QLinearForm{"Mul", "QLinearMul"},
    QLinearForm{"Sigmoid", "QLinearSigmoid"},
    QLinearForm{"LeakyRelu", "QLinearLeakyRelu"},
    QLinearForm{"Softmax", "QLinearSoftmax"},
    QLinearForm{"AveragePool", "QLinearAveragePool"},
    QLinearForm{"GlobalAveragePool", "QLinearGlobalAveragePool"},
    QLinearForm{"Concat", "QLinearConcat", Order::output_then_operands},
    QLinearForm{"Where", "QLinearWhere", Order::condition_first},
};

struct Mover {
    std::string_view op;
    int opset;  // the first that takes int8 and uint8
};
constexpr std::array movers{
    Mover{"Concat", 7},  Mover{"Expand", 8}, Mover{"Flatten", 9}, Mover{"Gather", 7},    Mover{"Identity", 7},  Mover{"MaxPool", 12},
    Mover{"Reshape", 7}, Mover{"Slice", 7},  Mover{"Squeeze", 7}, Mover{"Transpose", 7}, Mover{"Unsqueeze", 7},
};

}  // namespace

bool moves_codes(const Op& op, int opset) {
    return op.domain.empty() &&
           std::any_of(movers.begin(), movers.end(), [&](const Mover& mover) { return mover.op == op.name && opset >= mover.opset; });
}

Attrs plain_attributes(const Node& qlinear) {
    Attrs attrs = qlinear.attrs;
    if (attrs.contains("channels_last")) {
        if (NodeView(qlinear).integer("channels_last") != 0) attrs["layout"] = std::string("NHWC");
        attrs.erase("channels_last");
    }
    attrs.erase("opset");
    return attrs;
}

const QLinearForm* qlinear_form_of(const Node& node) {
    if (!node.op->domain.empty()) return nullptr;
    const auto found = std::find_if(forms.begin(), forms.end(), [&](const QLinearForm& form) { return form.op == node.op->name; });
    if (found == forms.end()) return nullptr;
    const NodeView view(node);
    for (const int64_t dilation : view.integers("dilations"))
        if (dilation != 1) return nullptr;
    // Means that round up and count their padding are others there: they count what lies beyond it, too.
    const bool counts = node.is(ops::AveragePool) && view.integer("ceil_mode") != 0 && view.integer("count_include_pad") != 0;
    return counts ? nullptr : &*found;
}

bool holds_results(const Node& node, const Encoding& out) {
    if (!node.is(ops::Softmax) || !out.per_tensor()) return true;
    return static_cast<float>(out.qmax - out.zero_at()) * to_floats(out.scale)[0] > 0.99f;
}

// An output is a reader. Inputs and outputs that are codes have operators of ONNX at them.
static bool stays_int8(const Graph& graph, ValueId id) {
    const NodeId producer = graph.value(id).producer;
    if (producer != NodeId::none && graph.node(producer).is(ops::DequantizeLinear)) return true;
    const std::vector<Use> readers = graph.uses(id);
    if (readers.size() != 1) return readers.size() > 1;
    return readers[0].node != NodeId::none && graph.node(readers[0].node).is(ops::QuantizeLinear);
}

std::optional<bool> stated_between_types(const Node& softmax) {
    const auto found = softmax.attrs.find(between_types_key);
    const int64_t* stated = found == softmax.attrs.end() ? nullptr : std::get_if<int64_t>(&found->second);
    return stated && (*stated == 0 || *stated == 1) ? std::optional(*stated == 1) : std::nullopt;
}

bool is_between_types(const Graph& graph, const Node& node) {
    if (!node.is(ops::Softmax)) return false;
    if (const auto stated = stated_between_types(node)) return *stated;
    const auto& made = graph.value(node.out[0]).enc;
    return made && made->storage == DType::i8 && stays_int8(graph, node.in[0]) != stays_int8(graph, node.out[0]);
}

bool has_qlinear_operator(const Op& op) {
    return op.domain.empty() && std::ranges::any_of(forms, [&](const QLinearForm& form) { return form.op == op.name; });
}

const QLinearForm* qlinear_form_named(std::string_view qlinear) {
    const auto found = std::find_if(forms.begin(), forms.end(), [&](const QLinearForm& form) { return form.qlinear == qlinear; });
    return found == forms.end() ? nullptr : &*found;
}

Attrs qlinear_attributes(const Node& node) {
    Attrs attrs = node.attrs;
    if (attrs.contains("layout")) {
        attrs["channels_last"] = int64_t{NodeView(node).text("layout") == "NHWC"};
        attrs.erase("layout");
    }
    attrs.erase("dilations");
    if (node.is(ops::Softmax)) attrs["opset"] = int64_t{13};  // over one axis
    return attrs;
}

QLinearSum::QLinearSum(float a_scale, int64_t a_zero, float b_scale, int64_t b_zero, float scale, int64_t zero)
    : a(a_scale / scale),
      b(b_scale / scale),
      fixed(static_cast<float>(zero) - (a * static_cast<float>(a_zero) + b * static_cast<float>(b_zero))) {}

std::vector<uint32_t> qlinear_exponentials(float scale, int64_t length) {
    const double unit = std::min(4294967295.0 / static_cast<double>(length), static_cast<double>(0x7fffff));
    std::vector<uint32_t> table(256);
    for (size_t i = 0; i < table.size(); ++i)
        table[i] = static_cast<uint32_t>(std::lrint(unit * portable::exp((static_cast<double>(i) - 255.0) * static_cast<double>(scale))));
    return table;
}

}  // namespace quern
