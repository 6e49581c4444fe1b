// Writes a packed file: what both formats do alike.
#pragma once

#include <string>

#include "formats/tflite/write/pack.h"
#include "libcore/os/outputs.h"

namespace quern::tflite_format {

void write_packed(const Packed& packed, const std::string& path, Outputs& outputs);

}  // namespace quern::tflite_format
