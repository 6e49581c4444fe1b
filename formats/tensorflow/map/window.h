// Attributes of operators that slide a window over the spatial dims, brought to ours.
#pragma once

#include "formats/tensorflow/map/site.h"

namespace quern::tensorflow_format {

// Of an attribute with a number for each dim of the data those of the spatial dims; absent: all 1. Batch and channels must have 1, else
// nullopt.
std::optional<Ints> spatial_numbers(const Site& site, std::string_view name, size_t rank);

// layout, strides, and the padding as auto_pad or pads; nullopt: a stride over batch or channels.
std::optional<Attrs> window_attrs(const Site& site, size_t rank);

// What the node, a convolution, makes of `x` in place of its data; `other` attributes win over its own. `depthwise`: with
// filters of one channel each.
std::optional<ValueId> convolved(Site& site, ValueId x, const Attrs& other, bool depthwise);

}  // namespace quern::tensorflow_format
