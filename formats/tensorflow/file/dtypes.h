// TensorFlow's numbers of element types.
#pragma once

#include <cstdint>

#include "libcore/graph/dtype.h"

namespace quern::tensorflow_format {

// none: a resource or a variant; throws Exit::bad_input for what is no type, Exit::unsupported for one that we do not have.
DType dtype_of_code(int64_t code);
bool is_resource(int64_t code);

}  // namespace quern::tensorflow_format
