// Front ends that are libraries of their own beside libquern.so: loaded for the first file of theirs, so that no other run maps them.
#pragma once

#include <string>

#include "formats/shared/format.h"

namespace quern {

// What such a library has, by its function quern_front_end(); nullptr: what its format has not. As in Format.
struct FrontEnd {
    Model (*read)(const Bytes& bytes, const std::string& path);
    Model (*read_signature)(const Bytes& bytes, const std::string& path, const std::string& name) = nullptr;
    void (*write)(const Model& model, const std::string& path, const WriteOptions& options) = nullptr;
    std::string (*remedy)(const Op& op) = nullptr;
};

// Of a library by its file's name. Throws Exit::io if it cannot be loaded.
const FrontEnd& load_front_end(const std::string& file);

}  // namespace quern
