// The numbers of a FlexBuffer map: what custom operators keep their options in.
#pragma once

#include <map>
#include <string>

#include "libcore/base/bytes.h"

namespace quern::tflite_format {

// Numbers and bools by name, other entries are left out. Throws Exit::bad_input if the bytes are no FlexBuffer whose root is a map.
std::map<std::string, double> flexbuffer_numbers(const Bytes& bytes);

}  // namespace quern::tflite_format
