// The rows of the kernels written here, for values in row-major float32.
#pragma once

#include <span>

#include "libcore/kernels/kernel.h"

namespace quern::simd {

std::span<const KernelRow> simd_rows();

// The makers, by the files that they are in. absorbs_chain: see KernelRow::absorbs.
bool absorbs_chain(const Site& site, const Node& next);
std::unique_ptr<Kernel> make_chain(const Site& site, std::string& refusal);
std::unique_ptr<Kernel> make_rms_norm(const Site& site, std::string& refusal);

}  // namespace quern::simd
