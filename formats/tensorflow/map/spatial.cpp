// Convolutions. Data keeps its layout; filters [kernel..., C / group, M] are brought to ours: [M, kernel..., C / group] with channels last.
#include <algorithm>
#include <array>
#include <numeric>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/weights_in_codes.h"
#include "formats/tensorflow/map/window.h"
#include "libcore/graph/op_ids.h"

namespace quern::tensorflow_format {
namespace {

void need_filter(Site& site, size_t i, size_t rank) {
    if (site.rank(i) != rank) throw bad_input("a filter of rank {} for data of rank {}", site.rank(i), rank);
}

// A filter with its last dims (`outer` of them) in the order given by `ends`, kernel between them or behind.
ValueId arranged(Site& site, ValueId filter, size_t kernel, int64_t first, int64_t second) {
    Ints order{first};
    if (!channels_last(site)) order.push_back(second);
    for (size_t i = 0; i < kernel; ++i) order.push_back(static_cast<int64_t>(i));
    if (channels_last(site)) order.push_back(second);
    return with_order(site, filter, order);
}

Ints kernel_of(Site& site, size_t i) {
    Ints kernel;
    for (int64_t d = 0; d + 2 < static_cast<int64_t>(site.rank(i)); ++d) kernel.push_back(site.dim(i, d));
    return kernel;
}

bool fixed(const Ints& dims) {
    return std::ranges::none_of(dims, [](int64_t dim) { return dim < 0; });
}

}  // namespace

std::optional<ValueId> convolved(Site& site, ValueId x, const Attrs& other, bool depthwise) {
    const size_t rank = site.rank(1);
    const Shape& data = site.type_of(x).shape;
    if (!data.ranked) return std::nullopt;
    need_filter(site, 1, data.rank());
    auto attrs = window_attrs(site, rank);
    const auto dilations = spatial_numbers(site, "dilations", rank);
    const Ints kernel = kernel_of(site, 1);
    const Dim& channels = data.dims[channels_last(site) ? rank - 1 : 1];
    const int64_t taken = site.dim(1, -2), made = site.dim(1, -1);
    if (!attrs || !dilations || !fixed(kernel) || taken < 1 || made < 1 || !channels.known()) return std::nullopt;
    if (channels.value % taken != 0 || (depthwise && channels.value != taken))
        throw bad_input("a filter of {} channels for data with {}", taken, channels.value);
    (*attrs)["kernel_shape"] = kernel;
    if (*dilations != Ints(rank - 2, 1)) (*attrs)["dilations"] = *dilations;
    const int64_t group = depthwise ? taken : channels.value / taken;
    if (group != 1) (*attrs)["group"] = group;
    for (const auto& [name, value] : other) (*attrs)[name] = value;
    const auto first = static_cast<int64_t>(rank) - 1;
    if (!depthwise) return site.add(ops::Conv, {x, arranged(site, site.in(1), rank - 2, first, first - 1)}, *attrs);
    // output channel c * multiplier + m
    Ints shape = kernel;
    shape.push_back(taken * made);
    shape.push_back(1);
    return site.add(ops::Conv, {x, arranged(site, with_shape(site, site.in(1), shape), rank - 2, first - 1, first)}, *attrs);
}

namespace {

template <bool depthwise>
bool convolution(Site& site) {
    const auto result = convolved(site, site.in(0), {}, depthwise);
    return result && give(site, *result);
}

// Lengths of a result that are known one by one.
std::optional<Ints> known_lengths(Site& site, size_t count, size_t from) {
    if (const auto all = site.ints(0)) {
        if (all->size() != count + 2) throw bad_input("input_sizes has {} items, need {}", all->size(), count + 2);
        return Ints(all->begin() + static_cast<int64_t>(from), all->begin() + static_cast<int64_t>(from + count));
    }
    const auto start = static_cast<int64_t>(from);
    return site.scope().frame.numbers(cut(site, site.as_i64(0), start, start + static_cast<int64_t>(count), 0));
}

// Where lengths are not known the result has those that Keras asks for; anything else fails when it is brought to the sizes asked for.
bool open_transposed(Site& site, Attrs attrs, const Ints& kernel, const Ints& strides, const Ints& dilations) {
    if (attrs.contains("pads")) return false;
    attrs["kernel_shape"] = kernel;
    attrs["dilations"] = dilations;
    Ints extra(kernel.size(), 0);
    if (!attrs.contains("auto_pad")) {
        for (size_t i = 0; i < kernel.size(); ++i) extra[i] = std::max<int64_t>(strides[i] - (kernel[i] - 1) * dilations[i] - 1, 0);
        attrs["output_padding"] = extra;
    }
    const auto in = static_cast<int64_t>(kernel.size()) + 1;
    const ValueId made = site.add(ops::ConvTranspose, {site.in(2), arranged(site, site.in(1), kernel.size(), in, in - 1)}, attrs);
    return give(site, site.add(ops::Reshape, {made, site.as_i64(0)}));
}

// The filter is [kernel..., M, C] and the data the third operand. The result is as long as the first says.
bool transposed(Site& site) {
    const size_t rank = site.rank(2), dims = rank - 2;
    need_filter(site, 1, rank);
    auto attrs = window_attrs(site, rank);
    const auto dilations = spatial_numbers(site, "dilations", rank);
    const Ints kernel = kernel_of(site, 1);
    if (!attrs || !dilations || !fixed(kernel)) return false;
    const size_t space = channels_last(site) ? 1 : 2;
    const auto lengths = known_lengths(site, dims, space);
    const Ints strides = *spatial_numbers(site, "strides", rank);
    bool known = lengths.has_value();
    for (size_t i = 0; i < dims; ++i) known = known && site.dim(2, static_cast<int64_t>(space + i)) >= 0;
    if (!known) return open_transposed(site, *attrs, kernel, strides, *dilations);
    const auto given = attrs->find("pads") == attrs->end() ? Ints{} : std::get<Ints>(attrs->at("pads"));
    const bool same = attrs->contains("auto_pad");
    attrs->erase("auto_pad");
    Ints pads(2 * dims, 0), extra(dims, 0);
    for (size_t i = 0; i < dims; ++i) {
        const int64_t length = site.dim(2, static_cast<int64_t>(space + i));
        const int64_t spare = (length - 1) * strides[i] + (kernel[i] - 1) * (*dilations)[i] + 1 - (*lengths)[i];
        if (!given.empty()) {
            pads[i] = given[i];
            pads[dims + i] = given[dims + i];
        } else if (same && spare > 0) {
            pads[i] = spare / 2;
            pads[dims + i] = spare - pads[i];
        }
        extra[i] = pads[i] + pads[dims + i] - spare;
        if (extra[i] < 0 || extra[i] >= strides[i]) throw bad_input("a result of {} from {} steps", (*lengths)[i], length);
    }
    (*attrs)["kernel_shape"] = kernel;
    (*attrs)["pads"] = pads;
    if (*dilations != Ints(dims, 1)) (*attrs)["dilations"] = *dilations;
    if (extra != Ints(dims, 0)) (*attrs)["output_padding"] = extra;
    const auto in = static_cast<int64_t>(rank) - 1;
    return give(site, site.add(ops::ConvTranspose, {site.in(2), arranged(site, site.in(1), dims, in, in - 1)}, *attrs));
}

bool read_once(const Scope& scope, size_t node) {
    size_t readers = 0;
    for (const std::vector<Ref>& inputs : scope.from.inputs) readers += static_cast<size_t>(std::ranges::count(inputs, node, &Ref::node));
    return readers == 1;
}

// A convolution that nothing else reads takes the bias itself.
std::optional<ValueId> with_bias(Site& site) {
    const NodeId maker = site.graph().value(site.in(0)).producer;
    if (maker == NodeId::none) return std::nullopt;
    const quern::Node& product = site.graph().node(maker);
    if (!product.is(ops::Conv, ops::ConvTranspose) || product.in.size() != 2) return std::nullopt;
    const Scope& scope = site.scope();
    if (!read_once(scope, scope.from.inputs[scope.from.by_name.at(site.of().name)][0].node)) return std::nullopt;
    Values in = product.in;
    in.push_back(site.in(1));
    return site.add(product.op->id(), in, product.attrs);
}

bool bias_add(Site& site) {
    if (const auto whole = with_bias(site)) return give(site, *whole);
    return give(site, site.add(ops::Add, {site.in(0), beside(site, site.in(1), site.rank(0))}));
}

constexpr std::array spatial_table{
    MapRow{"BiasAdd BiasAddV1", "Add", bias_add},
    MapRow{"Conv2D Conv3D", "Conv", convolution<false>},
    MapRow{"Conv2DBackpropInput Conv3DBackpropInputV2", "ConvTranspose", transposed},
    MapRow{"DepthwiseConv2dNative", "Conv", convolution<true>},
};

}  // namespace

std::span<const MapRow> spatial_rows() { return spatial_table; }

}  // namespace quern::tensorflow_format
