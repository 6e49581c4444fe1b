// Parameters of an encoding beside the tensor that they are of.
#pragma once

#include "libcore/graph/encoding.h"

namespace quern {

// Throws Exit::bad_input unless scales, zero points and minima, where there are any, have the shape that a tensor of `dims` needs: as many
// in another shape are of other elements. Not for block formats, which have none.
void check_parameters(const Dims& dims, const Encoding& encoding);

}  // namespace quern
