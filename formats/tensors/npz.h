// NumPy's .npz: a ZIP of .npy members. Read stored or deflated, also ZIP64; written stored.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "formats/archive/zip.h"
#include "formats/tensors/npy.h"
#include "libcore/graph/tensor.h"
#include "libcore/os/io.h"

namespace quern {

class Npz {
   public:
    // The directory is checked, members are read when asked for. Errors: Exit::bad_input, Exit::unsupported (encryption, other methods).
    explicit Npz(Bytes bytes);

    const std::vector<std::string>& names() const { return names_; }  // without ".npy", in the order of the directory
    Tensor array(size_t index) const;                                 // errors name the member

   private:
    friend class NpzRows;
    ZipArchive zip_;
    std::vector<std::string> names_;
};

// One array of an archive, of which rows are read one after the other without the rest. Keeps the archive open; errors name the array.
class NpzRows {
   public:
    NpzRows(const Npz& npz, size_t index);
    const Dims& dims() const { return array_.dims; }
    // Part `part` of `parts` equal ones, each of these dims. An array in column-major order is read as a whole.
    Tensor read(uint64_t part, uint64_t parts, const Dims& dims);

   private:
    std::string name_;
    std::unique_ptr<ZipStream> stream_;
    std::mutex mutex_;
    NpyArray array_;
    Tensor whole_;
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
