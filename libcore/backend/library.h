// Libraries of back ends: where they lie, and their tables.
#pragma once

#include <string>
#include <vector>

#include "include/quern/backend.h"
#include "libcore/backend/library_place.h"

namespace quern {

// Where libquern_<name>.so is looked for: each folder of QUERN_BACKEND_PATH (":" between them), then quern/backends beside libquern.so.
std::vector<std::string> backend_folders();

using BackendFile = LibraryFile;
// Every library in these folders, the first of each name, by name.
std::vector<BackendFile> installed_backends();

// "ort:qnn,soc=57": a library and one of its devices, which create() gets as its option "device"; "" where none is named. A library whose
// own name has the ":" comes first.
struct BackendName {
    std::string library, device;
};
BackendName split_backend_name(const std::string& name);

// The library of a back end as a user names it, with or without a device: with a "/" it is a path. "" if there is none.
std::string backend_path(const std::string& name);
// As a file names it: never a path.
std::string installed_backend(const std::string& name);

// Opens the library and checks its table; it is never closed. Throws Exit::unsupported saying what is wrong with it. Runs code of the
// library: whoever does not trust it yet calls this in a child process.
const quern_backend_api& open_backend(const std::string& path);
// Does it give a table for another version of the interface?
bool serves_version(const std::string& path, uint32_t abi);
bool has_symbol(const std::string& path, const char* symbol);
const quern_op_package& open_op_package(const std::string& path);

}  // namespace quern
