// The rows of the kernels written here, for values in row-major float32.
#pragma once

#include <span>

#include "libcore/kernels/kernel.h"

namespace quern::simd {

std::span<const KernelRow> chain_rows();

}  // namespace quern::simd
