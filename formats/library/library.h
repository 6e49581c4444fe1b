// Model libraries: shared objects that `codegen --plugin cpp --lib` makes. Reading one loads and runs its code, so it is read only from
// a file that the user names, never from a stream.
#pragma once

#include "formats/format.h"

namespace quern::library_format {

bool sniff(const Bytes& bytes);
// Weights are the library's memory; it stays loaded while a constant of the model is alive.
Model read(const Bytes& bytes, const std::string& path);

}  // namespace quern::library_format
