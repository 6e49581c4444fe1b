// Comparison of a tensor with the one wanted, at the tolerances of the ONNX backend tests.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/tensor.h"

namespace conformance {

// What differs, or nothing. `values` false: type and shape only (random outputs). Integers may be `steps` apart.
std::optional<std::string> difference(const quern::Tensor& got, const quern::Tensor& want, bool values, int64_t steps = 0);

}  // namespace conformance
