#include "formats/gguf/net.h"

#include "libcore/graph/op_ids.h"

namespace quern::gguf {

Net::Values Net::add_several(OpId op, std::string_view name, Values in, const std::vector<std::string>& results, Attrs attrs) {
    Values out;
    for (const std::string& result : results) out.push_back(value(result));
    name_ = name;
    put(op, std::move(in), out, std::move(attrs));
    return out;
}

ValueId Net::add(OpId op, std::string_view name, Values in, Attrs attrs) {
    return add_several(op, name, std::move(in), {std::string(name) + "_out"}, std::move(attrs))[0];
}

ValueId Net::ones(std::string_view name, int64_t length) {
    return constant(Tensor::vector<float>(std::vector<float>(static_cast<size_t>(length), 1)), name);
}

ValueId Net::scaled(ValueId x, double factor, const std::string& name) {
    if (factor == 1) return x;
    return add(ops::Mul, name, {x, number(name + ".factor", factor)});
}

ValueId Net::soft_capped(ValueId x, double cap, const std::string& name) {
    if (cap == 0) return x;
    const ValueId limit = number(name + ".cap", cap);
    const ValueId share = add(ops::Tanh, name + ".tanh", {add(ops::Div, name + ".div", {x, limit})});
    return add(ops::Mul, name, {share, limit});
}

}  // namespace quern::gguf
