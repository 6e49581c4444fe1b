// Weights of a generated C++ model: one file of blobs, 64-byte aligned, equal ones once.
#pragma once

#include <map>
#include <string>

#include "libcore/base/bytes.h"
#include "libcore/base/io.h"

namespace quern::cppgen {

class Weights {
   public:
    explicit Weights(std::string path) : file_(std::move(path)) {}
    size_t offset_of(const Bytes& bytes);
    size_t size() const { return file_.position(); }
    void commit();

   private:
    OutputFile file_;
    std::map<std::pair<std::string, size_t>, size_t> by_digest_;
};

}  // namespace quern::cppgen
