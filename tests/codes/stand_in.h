// The inner loops of machines that this one need not be.
#pragma once

#include <vector>

#include "libcore/kernels/codes/dot.h"

namespace code_tests {

// Those for AVX512-VNNI and AVX-VNNI, with plain functions for the instructions of these; none without AVX2.
std::vector<const quern::codes::Dot*> stand_ins();

}  // namespace code_tests
