// The inner loops of kernels on codes beside the plain ones.
#pragma once

#include <cstddef>

namespace code_tests {

// How many results differ; each is printed.
size_t check_loops();

}  // namespace code_tests
