// From a File to a Graph: its operators are rewritten by the rows of map/map.h.
#pragma once

#include <string>

#include "formats/shared/format.h"
#include "formats/tflite/file/file.h"

namespace quern::tflite_format {

// `format` ("tflite", "circle") is the domain of operators that are kept as they are, and begins the keys of metadata.
// `signature`: its graph is read; "": the first. Throws Exit::usage if there is none of that name.
Model import_file(File file, std::string_view format, size_t file_size, const std::string& signature = "");

}  // namespace quern::tflite_format
