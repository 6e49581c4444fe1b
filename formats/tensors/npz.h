// NumPy's .npz: a ZIP of .npy members. Read stored or deflated, also ZIP64; written stored.
#pragma once

#include <string>
#include <vector>

#include "formats/archive/zip.h"
#include "libcore/base/io.h"
#include "libcore/graph/tensor.h"

namespace quern {

class Npz {
   public:
    // The directory is checked, members are read when asked for. Errors: Exit::bad_input, Exit::unsupported (encryption, other methods).
    explicit Npz(Bytes bytes);

    const std::vector<std::string>& names() const { return names_; }  // without ".npy", in the order of the directory
    Tensor array(size_t index) const;                                 // errors name the member

   private:
    ZipArchive zip_;
    std::vector<std::string> names_;
};

// Writes members as they come; finish() ends the archive. Equal arrays give equal bytes (no time stamps).
class NpzWriter {
   public:
    explicit NpzWriter(OutputFile& file) : file_(file) {}
    void add(const std::string& name, const Tensor& tensor);
    void finish();

   private:
    struct Entry {
        std::string name;
        uint64_t offset, size;
        uint32_t crc;
    };
    OutputFile& file_;
    std::vector<Entry> entries_;
};

}  // namespace quern
