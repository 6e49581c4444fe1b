#include "formats/tensorflow/map/weights_in_codes.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"

namespace quern::tensorflow_format {
namespace {

const quern::Node* maker_of(Site& site, ValueId value) {
    const NodeId maker = site.graph().value(value).producer;
    return maker == NodeId::none ? nullptr : &site.graph().node(maker);
}

// The same with other codes; the scales lie along `axis`.
ValueId dequantized(Site& site, const quern::Node& as, ValueId codes, int64_t axis) {
    Values in = as.in;
    in[0] = codes;
    Attrs attrs = as.attrs;
    if (attrs.contains("axis")) attrs["axis"] = axis;
    return site.add(ops::DequantizeLinear, in, attrs);
}

// The dim of `to` that is dim `axis` of `from`; nullopt: none is.
std::optional<int64_t> same_dim(const Dims& from, const Ints& to, int64_t axis) {
    const auto behind = [](std::span<const int64_t> dims, size_t at) {
        return count_of(Dims(dims.begin() + static_cast<int64_t>(at) + 1, dims.end()));
    };
    for (size_t i = 0; i < to.size(); ++i)
        if (to[i] == from[static_cast<size_t>(axis)] && behind(to, i) == behind(from, static_cast<size_t>(axis)))
            return static_cast<int64_t>(i);
    return std::nullopt;
}

ValueId reshaped_constant(Site& site, ValueId value, const Ints& dims) {
    const Tensor tensor = *site.graph().constant(value);
    const ValueId id = site.constant({tensor.dtype, dims, tensor.data});
    site.graph().rename(id, site.graph().unique_name(site.graph().value(value).name));
    return id;
}

int64_t axis_of(const quern::Node& node) { return NodeView(node).integer("axis"); }

}  // namespace

bool is_dequantized(Site& site, ValueId value) {
    const quern::Node* maker = maker_of(site, value);
    return maker && maker->is(ops::DequantizeLinear) &&
           std::ranges::all_of(maker->in, [&](ValueId in) { return site.graph().value(in).constant(); });
}

ValueId with_order(Site& site, ValueId value, const Ints& order) {
    if (!is_dequantized(site, value)) return site.transpose(value, order);
    const quern::Node node = *maker_of(site, value);
    const auto axis = std::ranges::find(order, axis_of(node));
    return dequantized(site, node, site.transpose(node.in[0], order), axis - order.begin());
}

ValueId with_shape(Site& site, ValueId value, const Ints& dims) {
    const auto count = site.type_of(value).shape.concrete();
    if (!count || std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; }) || count_of(dims) != count_of(*count))
        return site.reshape(value, dims);
    if (site.graph().value(value).constant()) return reshaped_constant(site, value, dims);
    if (!is_dequantized(site, value)) return site.reshape(value, dims);
    const quern::Node node = *maker_of(site, value);
    const bool channels = node.attrs.contains("axis");
    const auto axis = channels ? same_dim(*count, dims, axis_of(node)) : std::optional<int64_t>(0);
    if (!axis) return site.reshape(value, dims);
    return dequantized(site, node, reshaped_constant(site, node.in[0], dims), *axis);
}

}  // namespace quern::tensorflow_format
