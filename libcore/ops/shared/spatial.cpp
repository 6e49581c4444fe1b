#include "libcore/ops/shared/spatial.h"

#include <algorithm>

namespace quern {
namespace {

template <class Items>
Items last_to_second(Items items) {
    if (items.size() > 2) std::rotate(items.begin() + 1, items.end() - 1, items.end());
    return items;
}

template <class Items>
Items second_to_last(Items items) {
    if (items.size() > 2) std::rotate(items.begin() + 1, items.begin() + 2, items.end());
    return items;
}

}  // namespace

bool channels_last(const NodeView& node) {
    const std::string layout = node.text("layout");
    if (layout == "NHWC") return true;
    if (layout.empty() || layout == "NCHW") return false;
    throw bad_input("attribute \"layout\" is \"{}\", need NCHW or NHWC", layout);
}

Dims to_channels_first(const Dims& dims) { return last_to_second(dims); }
Dims to_channels_last(const Dims& dims) { return second_to_last(dims); }
Shape to_channels_first(const Shape& shape) { return {shape.ranked, last_to_second(shape.dims)}; }
Shape to_channels_last(const Shape& shape) { return {shape.ranked, second_to_last(shape.dims)}; }

Dims spatial_dims(const Tensor& data, bool last, size_t rank) {
    if (data.dims.size() < rank) throw bad_input("input is {}, need rank {} or more", to_string(data.dims), rank);
    return last ? to_channels_first(data.dims) : data.dims;
}

}  // namespace quern
