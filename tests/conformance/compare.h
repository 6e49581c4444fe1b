// Comparison of a tensor with the one wanted, at the tolerances of the ONNX backend tests.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/tensor.h"

namespace conformance {

// What is allowed beyond the tolerances: integers may be `steps` apart, floats `absolute`.
struct Slack {
    int64_t steps = 0;
    double absolute = 0;
};

// What differs, or nothing. `values` false: type and shape only (random outputs).
std::optional<std::string> difference(const quern::Tensor& got, const quern::Tensor& want, bool values, Slack slack = {});

}  // namespace conformance
