// The rows of this library, one file each. They make no code and no layouts at the first run, so that a context starts at once; on machines
// that lack AVX-512 they refuse.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::direct {

std::span<const KernelRow> conv_rows();     // Conv
std::span<const KernelRow> pool_rows();     // MaxPool AveragePool GlobalAveragePool GlobalMaxPool
std::span<const KernelRow> product_rows();  // MatMul Gemm

// Is the value what a direct convolution makes, or what keeps its layout behind one? A guess: who relies on it may wait, but is never
// wrong.
bool made_channels_last(const Graph& graph, ValueId id);

}  // namespace quern::direct
