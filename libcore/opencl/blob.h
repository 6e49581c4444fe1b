// A net as bytes: what compile() writes, and load() reads from files that nobody has looked at.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libcore/opencl/net.h"

namespace quern::opencl {

// The same net gives the same bytes. Constants begin at a multiple of 64 bytes.
std::vector<std::byte> blob_of(const Net& net);
// Constants are borrowed from the bytes. Throws Failure (QUERN_BAD_INPUT): every number is checked, every value is made before it is read.
Net net_of_blob(std::span<const std::byte> bytes);

}  // namespace quern::opencl
