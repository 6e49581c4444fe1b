// The rows of kernels that read weights in blocks as they lie (Encoding::format), a part of libquern_codes.so.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::block_kernels {

std::span<const KernelRow> rows();  // MatMul Gather

}  // namespace quern::block_kernels
