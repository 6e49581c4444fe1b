// The rows of this library, one file each.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::onednn {

const KernelRow& conv_row();
std::span<const KernelRow> matmul_rows();   // MatMul Gemm
std::span<const KernelRow> pool_rows();     // MaxPool AveragePool GlobalAveragePool GlobalMaxPool
std::span<const KernelRow> eltwise_rows();  // Relu Clip Sigmoid ... Add
std::span<const KernelRow> norm_rows();     // Softmax LayerNormalization

}  // namespace quern::onednn
