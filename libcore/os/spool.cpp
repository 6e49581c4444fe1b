#include "libcore/os/spool.h"

#include "libcore/os/io.h"

namespace quern {

Bytes Spool::put(Bytes bytes) {
    constexpr size_t small = size_t{1} << 20;
    if (bytes.mapped() || bytes.size() < small || kept_.fetch_add(bytes.size()) + bytes.size() <= keep_) return bytes;
    return spooled(bytes);
}

}  // namespace quern
