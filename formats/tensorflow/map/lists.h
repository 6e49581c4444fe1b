// Lists of tensors, of which each is one tensor [length, item...].
#pragma once

#include "formats/tensorflow/map/site.h"

namespace quern::tensorflow_format {

// The tensor of a list as a value of `frame`; one whose items are not known before the run has 1 for such dims, and grows when an item is
// put in. `name` is for what is made. none: the rank of its items is not known.
ValueId dense(Frame& frame, const Bound& list, const std::string& name);

}  // namespace quern::tensorflow_format
