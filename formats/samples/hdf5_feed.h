// Datasets of an HDF5 file as samples.
#pragma once

#include "formats/samples/feed.h"

namespace quern {

// `index`: the input's number among the model's. Throws Exit::bad_input.
std::unique_ptr<Feed> open_hdf5(const std::string& text, const InputSpec& spec, bool native, size_t index);

}  // namespace quern
