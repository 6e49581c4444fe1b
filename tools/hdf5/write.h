// Writes arrays as an HDF5 file in memory.
#pragma once

#include <cstdint>

#include "libcore/base/bytes.h"

namespace quern::hdf5 {

// The bytes of a file with the arrays of Request::write (formats/hdf5/protocol.h).
Bytes image_of(const Bytes& request, uint64_t arrays);

}  // namespace quern::hdf5
