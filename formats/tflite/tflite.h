// TFLite files: docs/tflite.md says what is read and how.
#pragma once

#include "formats/shared/format.h"

namespace quern::tflite_format {

bool sniff(const Bytes& bytes);
Model read(const Bytes& bytes, const std::string& path);
Model read_signature(const Bytes& bytes, const std::string& path, const std::string& name);
void write(const Model& model, const std::string& path, const WriteOptions& options);

}  // namespace quern::tflite_format
