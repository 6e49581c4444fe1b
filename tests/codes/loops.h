// The inner loops of kernels on codes beside the plain ones.
#pragma once

#include <cstddef>

namespace code_tests {

// How many results differ; each is printed.
size_t check_loops();
// Sums and products of two codes; of check_loops().
size_t check_pairs();
// Those of dot.h alone.
size_t check_dots();

// "avx2: 170 billion additions and multiplications of codes a second on one core": the fastest inner loop of all tries.
void print_peak();

}  // namespace code_tests
