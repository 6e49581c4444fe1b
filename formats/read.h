// Reading a model whose file is mapped already, for tools that take other things, too.
#pragma once

#include "formats/format.h"

namespace quern {

bool is_model_folder(const std::string& path);  // a SavedModel
// The file that has a model's graph, mapped: of a folder, that in it.
Bytes map_model(const std::string& path);

// By its name: a shared object, whose code runs when it is read.
bool is_library(const std::string& path);
// What is in it is a format's, and not code that its name does not ask for.
bool is_model(const Bytes& bytes, const std::string& path);

// As read_model(path, signature); `path` is for external data and messages; "": memory, no file is read for it.
Model read_model(const Bytes& bytes, const std::string& path, const std::string& signature = {});

}  // namespace quern
