// The JSON before a file's tensors, taken apart without building a document of it: hostile ones are large.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/type.h"

namespace quern::safetensors {

struct HeaderEntry {
    std::string dtype;
    Dims shape;
    std::vector<int64_t> offsets;  // begin, end
    bool has_dtype = false, has_shape = false, has_offsets = false;
};

struct Header {
    std::map<std::string, HeaderEntry> entries;
    std::map<std::string, std::string> metadata;
};

// Throws Exit::bad_input. Every entry has all of its members.
Header parse_header(std::string_view json);

}  // namespace quern::safetensors
