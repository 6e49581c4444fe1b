// A feed: the items that one file gives to one input.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/tensors/fit.h"

namespace quern {

class Feed {
   public:
    virtual ~Feed() = default;
    virtual Tensor load(uint64_t item) const = 0;  // logical dtype; errors name the file
    uint64_t count = 1;                            // items
    int64_t group = 1;                             // items that make one sample
    std::string file;                              // as written, for messages and the digest
    uint64_t bytes = 0;
    std::string contents;              // of a folder: what its digest takes beside
    std::vector<std::string> notices;  // what the user did not say, and what was left out
};

// A plain path (.npy, .npz, .pb, HDF5, .csv with one item a line, a picture or a folder of them, else headerless), with steps, rows of a
// blob or a dataset. `index`: the input's number among the model's; `member`: the array of an .npz; empty: the input's name, or the only
// one. `spec` must outlive the feed.
std::unique_ptr<Feed> open_feed(const std::string& text, const InputSpec& spec, bool native, size_t index, const std::string& member = {});

}  // namespace quern
