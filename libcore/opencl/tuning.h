// Local sizes of kernels that were measured on a device, in a file between runs. What it says changes times only: a size that the device
// does not take is not taken.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "libcore/opencl/device.h"
#include "libcore/opencl/program.h"

namespace quern::opencl {

inline constexpr size_t local_size_choices[] = {8, 16, 32, 64, 128, 256};

class Tuning {
   public:
    // `file`: given by the user, and then it must be whole; "": that of the device in the user's cache. `measure`: sizes that are missing
    // are measured, and kept.
    Tuning(const Found& found, std::string file, bool measure);

    bool measures() const { return measure_; }
    bool has(const Step& step) const { return sizes_.contains(key_of(step)); }
    size_t local_size(const Step& step) const;
    void set(const Step& step, size_t size) { sizes_[key_of(step)] = size; }
    // Writes the file anew, as a whole. Throws Failure (QUERN_IO).
    void save() const;

   private:
    static std::string key_of(const Step& step);
    bool is_there() const;
    void read(const std::string& text);

    std::string device_, file_;
    bool given_, measure_;
    std::map<std::string, size_t> sizes_;
};

}  // namespace quern::opencl
