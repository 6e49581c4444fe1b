// All rows of kernels, from the families here and from libraries.
#pragma once

#include <span>
#include <string_view>

#include "libcore/kernels/kernel.h"

namespace quern {

// The rows of kernels that take and give codes, as the profile of an integer run computes on them.
std::span<const KernelRow> code_kernel_rows();

// Kernels come in families, each a library of its own or a part of this one; a row has its family's name.
// The rows that this machine can run: of one family, or of all (empty). Loads the libraries that it needs.
std::span<const KernelRow> kernel_rows(std::string_view family = {});

}  // namespace quern
