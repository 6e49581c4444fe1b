// Weights that are rearranged while they are read: constants, and codes that are dequantized, so that what products read stays one of both.
#pragma once

#include "formats/tensorflow/map/site.h"

namespace quern::tensorflow_format {

// Codes with their scales and zero points, all constants.
bool is_dequantized(Site& site, ValueId value);

// The value with its dims in another order, or in another shape. Anything else than weights goes through a node.
ValueId with_order(Site& site, ValueId value, const Ints& order);
ValueId with_shape(Site& site, ValueId value, const Ints& dims);

}  // namespace quern::tensorflow_format
