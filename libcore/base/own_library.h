// Libraries of ours that are loaded when something of theirs is needed for the first time: kernels, decoders. They lie in a folder beside
// libquern and stay loaded.
#pragma once

#include <string>

namespace quern {

struct OwnLibrary {
    std::string path;
    void* handle = nullptr;
    std::string error;  // why there is no handle

    void* find(const char* symbol) const;  // nullptr: it has none of that name
};

OwnLibrary own_library(const std::string& file);

}  // namespace quern
