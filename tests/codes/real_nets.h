// Small networks of products with real results, drawn at random: dynamic codes and weights with any zero points, or data that the product
// rounds itself (hybrid); sizes of data from all zeros to overflow.
#pragma once

#include <cstddef>
#include <cstdint>

namespace code_tests {

// How many of `count` networks have other results with kernels than without, on one thread or three; each is printed. One more if too few
// of the steps were computed by kernels on codes.
size_t check_real_nets(uint64_t seed, uint64_t count);

}  // namespace code_tests
