// Datasets of an HDF5 file as samples.
#pragma once

#include "formats/tensors/feed.h"

namespace quern {

struct Hdf5Place {
    std::string path, dataset;  // dataset: "" if none is named
};
// FILE:/GROUP/DATASET; a path alone names no dataset.
Hdf5Place hdf5_place(const std::string& text);

// `index`: the input's number among the model's. Throws Exit::bad_input.
std::unique_ptr<Feed> open_hdf5(const std::string& text, const InputSpec& spec, bool native, size_t index);

}  // namespace quern
