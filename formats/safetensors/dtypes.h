#pragma once

#include <string_view>

#include "libcore/graph/dtype.h"

namespace quern::safetensors {

DType dtype_named(std::string_view name);  // none: unknown

}  // namespace quern::safetensors
