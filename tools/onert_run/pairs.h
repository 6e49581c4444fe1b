// onert's way to speak of inputs and outputs by number: a JSON array of pairs, [0, [1, 20], 2, []] or [0, 40, 2, 80].
#pragma once

#include <map>
#include <string>

#include "libcore/graph/type.h"

namespace quern::onert_run {

// `option` is for messages. Throws Exit::usage; Exit::unsupported for "h5", which would be a file that is not read.
std::map<size_t, Dims> shape_pairs(const std::string& option, const std::string& text);
std::map<size_t, size_t> size_pairs(const std::string& option, const std::string& text);

// Throws Exit::unsupported if the path names an HDF5 file.
void refuse_hdf5(const std::string& option, const std::string& path);

}  // namespace quern::onert_run
