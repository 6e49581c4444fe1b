// Recurrent layers on codes and beside weights in codes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace code_tests {

// Layers drawn at random beside their references; how many results differ, each is printed.
size_t check_recurrent(uint64_t seed, uint64_t count);

}  // namespace code_tests
