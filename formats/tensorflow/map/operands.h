// What rows of several families say in the same words.
#pragma once

#include <optional>
#include <string_view>

#include "formats/tensorflow/map/site.h"

namespace quern::tensorflow_format {

// The only result.
inline bool give(Site& site, ValueId value) {
    site.out(0, value);
    return true;
}

// One of ours with the same operands.
template <const OpId& op>
bool direct(Site& site) {
    return give(site, site.add(op, site.ins()));
}

ValueId shape_of(Site& site, ValueId value);                 // int64, of rank 1
ValueId length_of(Site& site, ValueId value, int64_t axis);  // int64, of rank 1: one number
ValueId squeezed(Site& site, ValueId value, const Ints& axes);
ValueId unsqueezed(Site& site, ValueId value, const Ints& axes);
ValueId joined(Site& site, const Values& parts, int64_t axis = 0);  // one part is itself
ValueId filled(Site& site, ValueId value, ValueId shape);
// From `start` up to `end` of one axis.
ValueId cut(Site& site, ValueId value, int64_t start, int64_t end, int64_t axis, int64_t step = 1);
ValueId reduced(Site& site, OpId op, ValueId value, const Ints& axes, bool keep = false);
// 0, 1, ... as many as `count`, a number of rank 0 or 1, says; int64.
ValueId counted(Site& site, ValueId count);

// Channels behind the spatial dims, as the attribute data_format says.
bool channels_last(const Site& site);
// Numbers of channels, brought beside data of that rank.
ValueId beside(Site& site, ValueId channels, size_t rank);

// The product of the first two operands; the flags say which of them is turned. product.cpp
ValueId multiplied(Site& site, std::string_view turn_a, std::string_view turn_b);

}  // namespace quern::tensorflow_format
