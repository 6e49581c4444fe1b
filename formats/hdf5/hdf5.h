// HDF5 files, by Debian's libhdf5 in a process of its own (tools/hdf5): it was not made for files of strangers, and what it crashes,
// exhausts or never ends is that process.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern {

bool is_hdf5(const Bytes& bytes);

struct Hdf5Place {
    std::string path, dataset;  // dataset: "" if none is named
};
// FILE:/GROUP/DATASET; a path alone names no dataset.
Hdf5Place hdf5_place(const std::string& text);

struct Hdf5Dataset {
    std::string path;           // without the slash at its front: "value/0"
    DType dtype = DType::none;  // f16, f32, f64, integers and boolean
    Dims dims;
    std::string refusal;  // why it cannot be read; "" if it can
};

class Hdf5Reader;

// An open file. Any thread may read.
class Hdf5File {
   public:
    // Throws Exit::bad_input. `program`: what reads; `seconds`: how long it may take for one answer.
    explicit Hdf5File(const std::string& path, const std::string& program = hdf5_program(), int seconds = 60);
    ~Hdf5File();
    Hdf5File(const Hdf5File&) = delete;
    Hdf5File& operator=(const Hdf5File&) = delete;

    const std::vector<Hdf5Dataset>& datasets() const { return datasets_; }
    // Their numbers; nullopt: there is none of this path.
    std::optional<size_t> find(std::string_view path) const;
    // Rows [first, first + count) of the leading dim; of a scalar 0 and 1 give itself.
    Tensor rows(size_t dataset, uint64_t first, uint64_t count) const;
    static std::string hdf5_program();

   private:
    std::string path_;
    std::unique_ptr<Hdf5Reader> reader_;
    mutable std::mutex mutex_;
    std::vector<Hdf5Dataset> datasets_;
};

// A file of datasets of these paths, which groups are made for: float kinds big-endian, as onert's tools write them.
Bytes hdf5_image(const std::vector<std::string>& paths, const std::vector<Tensor>& tensors);

}  // namespace quern
