// TensorFlow: frozen graphs (.pb) and SavedModel folders become graphs.
#pragma once

#include "formats/shared/format.h"

namespace quern::tensorflow_format {

Model read(const Bytes& bytes, const std::string& path);
Model read_signature(const Bytes& bytes, const std::string& path, const std::string& name);

}  // namespace quern::tensorflow_format
