// Circle files, the format of Samsung's ONE: docs/tflite.md says what is read and how.
#pragma once

#include "formats/circle/recorded_places.h"
#include "formats/shared/format.h"

namespace quern::circle_format {

bool sniff(const Bytes& bytes);
Model read(const Bytes& bytes, const std::string& path);
Model read_signature(const Bytes& bytes, const std::string& path, const std::string& name);
void write(const Model& model, const std::string& path, const WriteOptions& options);

// What onert records of the main graph. Throws Exit::bad_input if the file is no Circle file or gives one name to two recorded tensors.
onert::Places recorded_places(const Bytes& bytes);

}  // namespace quern::circle_format
