// Small quantized networks drawn at random: geometry, storage types, encodings, profile, what follows a product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace code_tests {

// How many of `count` networks have other codes with kernels than without, on one thread or three; each is printed. One more if too few of
// the steps were computed by kernels on codes.
size_t check_nets(uint64_t seed, uint64_t count);

// Writes those that are not refused to the folder, in the text form.
void save_nets(uint64_t seed, uint64_t count, const std::string& folder);

}  // namespace code_tests
