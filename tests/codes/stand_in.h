// The inner loops of machines that this one need not be.
#pragma once

#include <vector>

#include "libcore/kernels/codes/dot.h"

namespace code_tests {

// Those for AMX, and where there is AVX2 for AVX512-VNNI and AVX-VNNI, with plain functions for their instructions.
std::vector<const quern::codes::Dot*> stand_ins();
const quern::codes::Dot& stand_in_amx();

}  // namespace code_tests
