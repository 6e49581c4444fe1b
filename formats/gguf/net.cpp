#include "formats/gguf/net.h"

#include "libcore/graph/op_ids.h"

namespace quern::gguf {

std::string Net::named(std::string_view name) const { return scope_.empty() ? std::string(name) : fmt::format("{}.{}", scope_, name); }

std::vector<ValueId> Net::add_several(OpId op, std::string_view name, std::vector<ValueId> in, const std::vector<std::string>& results,
                                      Attrs attrs) {
    std::vector<ValueId> out;
    out.reserve(results.size());
    for (const std::string& result : results) out.push_back(graph_.add_value(graph_.unique_name(result), Type::tensor(DType::f32)));
    const NodeId id = graph_.add_node(need_op(op), graph_.unique_node_name(named(name)), std::move(in), out, std::move(attrs));
    if (!scope_.empty()) graph_.node(id).scope = "/" + scope_ + "/";
    return out;
}

ValueId Net::add(OpId op, std::string_view name, std::vector<ValueId> in, Attrs attrs, DType dtype) {
    const ValueId out = add_several(op, name, std::move(in), {named(name) + "_out"}, std::move(attrs))[0];
    graph_.value(out).type.dtype = dtype;
    return out;
}

ValueId Net::number(std::string_view name, double number) {
    return graph_.add_constant(named(name), Tensor::scalar(static_cast<float>(number)));
}

ValueId Net::ones(std::string_view name, int64_t length) {
    return graph_.add_constant(named(name), Tensor::vector<float>(std::vector<float>(static_cast<size_t>(length), 1)));
}

ValueId Net::integers(std::string_view name, std::vector<int64_t> numbers) {
    return graph_.add_constant(named(name), Tensor::vector<int64_t>(numbers));
}

ValueId Net::scaled(ValueId x, double factor, std::string_view name) {
    if (factor == 1) return x;
    return add(ops::Mul, name, {x, number(std::string(name) + ".factor", factor)});
}

ValueId Net::soft_capped(ValueId x, double cap, std::string_view name) {
    if (cap == 0) return x;
    const ValueId limit = number(std::string(name) + ".cap", cap);
    const ValueId share = add(ops::Tanh, std::string(name) + ".tanh", {add(ops::Div, std::string(name) + ".div", {x, limit})});
    return add(ops::Mul, name, {share, limit});
}

}  // namespace quern::gguf
