#include "libcore/passes/recognise/fake_quantized.h"

#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern {

bool has_all_codes(const Encoding& encoding) {
    const auto [min, max] = int_range(encoding.storage);
    return encoding.qmin == min && encoding.qmax == max;
}

ValueId limit_ahead(Graph& graph, ValueId x, const Encoding& encoding, const std::string& name, NodeId before) {
    const float scale = to_floats(encoding.scale)[0];
    const auto meant = [&](int64_t code) { return static_cast<float>(code - encoding.zero_at()) * scale; };
    if (const Node* relu = made_by(graph, x, ops::Relu); relu && encoding.qmin >= encoding.zero_at() && !graph.value(x).enc)
        x = relu->in[0];
    const ValueId low = graph.add_constant(graph.unique_name(name + "/low"), Tensor::scalar(meant(encoding.qmin))),
                  high = graph.add_constant(graph.unique_name(name + "/high"), Tensor::scalar(meant(encoding.qmax))),
                  limited = graph.add_value(graph.unique_name(name + "/limited"), graph.value(x).type);
    graph.add_node(need_op(ops::Clip), graph.unique_node_name(name + "/Clip"), {x, low, high}, {limited}, {}, before);
    return limited;
}

bool can_spell(const FakeQuantized& fake) {
    return fake.codes.defined() || has_all_codes(fake.encoding) || fake.limited != ValueId::none || fake.encoding.per_tensor();
}

void spell_linear(Graph& graph, ValueId result, const FakeQuantized& fake) {
    const Encoding& encoding = fake.encoding;
    const NodeId last = graph.value(result).producer;
    const std::string name = graph.value(result).name;
    const auto constant = [&](std::string_view what, const Tensor& tensor) {
        return graph.add_constant(graph.unique_name(fmt::format("{}/{}", name, what)), tensor);
    };
    const ValueId scale = constant("scale", encoding.scale), zero = constant("zero", encoding.zero);
    Attrs attrs;
    if (!encoding.per_tensor()) attrs["axis"] = static_cast<int64_t>(encoding.axis);
    ValueId codes = ValueId::none;
    if (fake.codes.defined()) {
        codes = constant("codes", fake.codes);
    } else {
        ValueId from = fake.x;
        if (!has_all_codes(encoding)) from = fake.limited != ValueId::none ? fake.limited : limit_ahead(graph, from, encoding, name, last);
        codes = graph.add_value(graph.unique_name(name + "/codes"), Type::tensor(encoding.storage, graph.value(fake.x).type.shape));
        graph.add_node(need_op(ops::QuantizeLinear), graph.unique_node_name(name + "/Quantize"), {from, scale, zero}, {codes}, attrs, last);
    }
    take_over(graph, result, need_op(ops::DequantizeLinear), {codes, scale, zero}, attrs);
}

}  // namespace quern
