#include "libcore/graph/builder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/graph/op_ids.h"

namespace quern {

std::string Builder::node_name(OpId, ValueId result) { return graph().value(result).name; }

NodeId Builder::put(OpId id, Values in, Values out, Attrs attrs) {
    std::string name = node_name(id, out.at(0));
    const NodeId node = graph().add_node(need_op(id), std::move(name), std::move(in), std::move(out), std::move(attrs), next());
    place(node);
    types().add(node);
    return node;
}

Builder::Values Builder::add_several(OpId op, Values in, size_t results, Attrs attrs) {
    Values made;
    for (size_t i = 0; i < results; ++i) made.push_back(declare(op.name, {}));
    put(op, std::move(in), made, std::move(attrs));
    return made;
}

ValueId Builder::add(OpId op, Values in, Attrs attrs) { return add_several(op, std::move(in), 1, std::move(attrs))[0]; }

ValueId Builder::cast(ValueId value, DType to) { return dtype_of(value) == to ? value : add(ops::Cast, {value}, {{"to", onnx_type(to)}}); }

ValueId Builder::reshape(ValueId value, const Dims& dims) { return add(ops::Reshape, {value, integers(dims, "shape")}); }

ValueId Builder::constant(const Tensor& tensor, std::string_view what) {
    spend(tensor.data.size());
    const ValueId id = declare(what, Type::tensor(tensor.dtype, Shape::of(tensor.dims)));
    graph().value(id).data = tensor.data;
    return id;
}

ValueId Builder::integers(const Dims& items, std::string_view what) { return constant(Tensor::vector<int64_t>(items), what); }

ValueId Builder::scalar(double item, DType dtype, std::string_view what) {
    if (is_float(dtype)) return constant(from_doubles(dtype, {}, std::array{item}), what);
    if (std::isnan(item)) throw bad_input("a number of type {} is not a number", name_of(dtype));
    return integer(static_cast<int64_t>(std::clamp(item, -9.2e18, 9.2e18)), dtype, what);
}

ValueId Builder::integer(int64_t item, DType dtype, std::string_view what) {
    if (is_float(dtype)) return scalar(static_cast<double>(item), dtype, what);
    return constant(from_ints(dtype, {}, std::array{dtype == DType::boolean ? int64_t{item != 0} : item}), what);
}

}  // namespace quern
