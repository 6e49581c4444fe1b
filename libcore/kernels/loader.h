// Kernel libraries that are loaded at run time, so that the tools start fast and do not link what they may not need.
#pragma once

#include <span>
#include <string>

#include "libcore/kernels/kernel.h"

namespace quern {

// The rows of libquern_dnnl.so beside libquern.so; empty if it cannot be loaded, and then onednn_problem() says why.
std::span<const KernelRow> onednn_rows();
const std::string& onednn_problem();

}  // namespace quern
