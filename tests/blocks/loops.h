// Loops of products with weights in blocks beside plain ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace block_tests {

size_t check_loops(uint64_t seed, uint64_t count);  // says what differs; how often it did
void print_peak(
    std::string_view only);  // "": all formats                                  // bytes and operations a second, by format and threads

}  // namespace block_tests
