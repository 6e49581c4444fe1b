// Graphs with weights in blocks, run by kernels and by their references.
#pragma once

#include <cstddef>
#include <cstdint>

namespace block_tests {

size_t check_nets(uint64_t seed, uint64_t count);  // says what differs; how often it did

}  // namespace block_tests
