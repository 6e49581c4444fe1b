// The rows of formats by family; table.cpp joins them. `wide`: with the functions for AVX2, where the machine has it.
#pragma once

#include <vector>

#include "libcore/blocks/block_format.h"

namespace quern::blocks {

std::vector<BlockFormat> plain_formats(bool wide);
std::vector<BlockFormat> legacy_formats(bool wide);    // blocks of 32 with a half as scale
std::vector<BlockFormat> k_ranged_formats(bool wide);  // blocks of 256 in parts, with minima
std::vector<BlockFormat> k_scaled_formats(bool wide);  // the same without
std::vector<BlockFormat> iq_formats(bool wide);        // points of codebooks
std::vector<BlockFormat> iq4_formats(bool wide);       // a table of 16 values
std::vector<BlockFormat> ternary_formats(bool wide);
std::vector<BlockFormat> micro_formats(bool wide);  // tiny floats

// All, in the order of their numbers in GGUF.
std::vector<BlockFormat> all_formats(bool wide);

}  // namespace quern::blocks
