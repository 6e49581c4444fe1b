// Spool: finished bytes moved out of memory into unlinked temporary files and mapped from there.
#pragma once

#include <atomic>

#include "libcore/base/bytes.h"

namespace quern {

// Thread-safe. Small runs, and the first `keep` bytes, stay in memory.
class Spool {
   public:
    explicit Spool(size_t keep = size_t{64} << 20) : keep_(keep) {}

    // The same bytes, as given or mapped from a file. Throws Exit::io if a temporary file cannot be written.
    Bytes put(Bytes bytes);

   private:
    size_t keep_;
    std::atomic<size_t> kept_ = 0;
};

}  // namespace quern
