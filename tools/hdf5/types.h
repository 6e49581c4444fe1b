// Element types: those of datasets that are read and written.
#pragma once

#include "libcore/graph/dtype.h"
#include "tools/hdf5/handle.h"

namespace quern::hdf5 {

// DType::none: `refusal` says what it is.
DType dtype_of(hid_t type, std::string& refusal);
// As elements lie in memory.
Handle memory_type(DType dtype);
// As onert's tools write them: big-endian; truth values as bytes. Throws Exit::unsupported.
Handle file_type(DType dtype);

}  // namespace quern::hdf5
