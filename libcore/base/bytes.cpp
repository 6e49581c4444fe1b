#include "libcore/base/bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/pages.h"

namespace quern {

Bytes Bytes::own(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return {owner, owner->data(), owner->size()};
}

Bytes Bytes::copy(const void* data, size_t size) {
    MutableBytes copy(size);
    if (size) std::memcpy(copy.data(), data, size);
    return std::move(copy).freeze();
}

Bytes Bytes::slice(size_t offset, size_t size) const {
    if (offset > size_ || size > size_ - offset) throw bug("slice of {} bytes at {} leaves a run of {} bytes", size, offset, size_);
    return {owner_, data_ + offset, size, mapped_};
}

void Bytes::release() const {
    if (!mapped_ || size_ == 0) return;
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    // Only whole pages inside the run: its neighbours in the file may be in use.
    const auto begin = reinterpret_cast<uintptr_t>(data_);
    const uintptr_t first = (begin + page - 1) / page * page, last = (begin + size_) / page * page;
    if (last > first) ::madvise(const_cast<std::byte*>(data_) + (first - begin), last - first, MADV_DONTNEED);
}

MutableBytes::MutableBytes(size_t size) : size_(size) {
    if (!surely_fits(size)) need_memory(size, "a run of bytes");
    data_ = std::shared_ptr<std::byte[]>(allocate_bytes(size), [size](std::byte* data) { release_bytes(data, size); });
}

}  // namespace quern
