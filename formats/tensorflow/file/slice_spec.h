// A variable of TensorFlow 1 that is a part of a tensor of the checkpoint: "6 4 0,2:-", the whole's dims, then start and length of each.
#pragma once

#include <string>

#include "libcore/graph/tensor.h"

namespace quern::tensorflow_format {

Tensor part_of(const Tensor& whole, const std::string& spec);

}  // namespace quern::tensorflow_format
