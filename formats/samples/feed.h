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

}  // namespace quern
