// Products of real numbers with weights that are stored as codes, drawn at random: 2, 4 and 8 bits, one scale, one a column or blocks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace code_tests {

// How many of `count` products have other numbers with kernels than without, in float and integer runs, on one thread or three; each is
// printed. Those that no kernel computes are among them.
size_t check_stored(uint64_t seed, uint64_t count);

}  // namespace code_tests
