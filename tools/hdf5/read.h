// Reads an HDF5 file of strangers: its datasets, and rows of one.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/tensor.h"
#include "tools/hdf5/handle.h"

namespace quern::hdf5 {

struct Dataset {
    std::string path;
    DType dtype = DType::none;
    Dims dims;
    std::string refusal;
};

// Plain settings for a file of strangers: no plugins, no other files, no locks. Throws Exit::bad_input.
Handle open_file(const std::string& path);
// All that hard links lead to.
std::vector<Dataset> datasets_of(hid_t file, uint64_t file_bytes);
// Rows [first, first + count) of the leading dim.
Bytes rows_of(hid_t file, const std::string& path, uint64_t first, uint64_t count);

}  // namespace quern::hdf5
