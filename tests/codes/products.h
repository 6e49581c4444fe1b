// Whole products of codes by every inner loop.
#pragma once

#include <cstddef>

namespace code_tests {

// How many differ from those of the plain loop, in `count` convolutions; each is printed.
size_t check_products(int count);

}  // namespace code_tests
