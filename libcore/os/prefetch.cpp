#include "libcore/os/prefetch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace quern {

void prefetch(const Bytes& bytes) {
#ifdef MADV_POPULATE_READ
    if (!bytes.mapped() || bytes.size() == 0) return;
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE)), data = reinterpret_cast<uintptr_t>(bytes.data());
    const uintptr_t first = data / page * page, end = data + bytes.size();
    ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
    // In steps: other threads that map or unmap memory wait for one.
    constexpr uintptr_t step = uintptr_t{2} << 20;
    for (uintptr_t at = first; at < end; at = at / step * step + step)
        if (::madvise(reinterpret_cast<void*>(at), std::min(end, at / step * step + step) - at, MADV_POPULATE_READ) != 0) return;
#else
    (void)bytes;
#endif
}

}  // namespace quern
