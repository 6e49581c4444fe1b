// Weights of a generated C++ model: one file of blobs, equal ones once. It is a tar archive of TENSOR.raw, as Netron and others look for
// the values of NAME_net.json; data begins at multiples of 64 bytes, so the archive is what the program holds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/os/io.h"

namespace quern::cppgen {

class Weights {
   public:
    explicit Weights(std::string path) : file_(std::move(path)) {}
    // Where the bytes lie, in C++: "weights + 512", or "parameters + 64" for small ones without a name, which share an entry.
    std::string place(const Bytes& bytes, std::string_view name = {});
    // Ends the archive; where `parameters` begin.
    size_t finish();
    size_t size() const { return file_.position(); }
    OutputFile& file() { return file_; }

   private:
    size_t add_entry(const std::string& name, std::string_view bytes);

    OutputFile file_;
    std::string parameters_;
    std::map<std::pair<std::string, size_t>, std::string> by_digest_;
    size_t entries_ = 0;
};

}  // namespace quern::cppgen
