#include "libcore/base/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace quern {
namespace {

constexpr std::align_val_t alignment{64};

// Large buffers lie in huge pages of their own where the system has them: to fill memory page by page takes as long as a layer.
constexpr size_t huge_page = size_t{2} << 20;
bool is_large(size_t size) { return size >= huge_page; }
size_t mapped_size(size_t size) {
    static const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const size_t unit = size >= 4 * huge_page ? huge_page : page;  // of a small one the rest of a huge page would be a waste
    return (size + unit - 1) / unit * unit;
}

std::byte* map_memory(size_t size) {
    if (size > SIZE_MAX / 2) throw std::bad_alloc();
    const size_t kept = mapped_size(size), all = kept + huge_page;
    void* const memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(memory);
    const size_t before = (huge_page - reinterpret_cast<uintptr_t>(begin) % huge_page) % huge_page;
    if (before > 0) ::munmap(begin, before);
    if (before < huge_page) ::munmap(begin + before + kept, huge_page - before);
#ifdef MADV_HUGEPAGE
    ::madvise(begin + before, kept, MADV_HUGEPAGE);
#endif
    return begin + before;
}

}  // namespace

std::byte* allocate_bytes(size_t size) {
    return is_large(size) ? map_memory(size) : static_cast<std::byte*>(::operator new(std::max<size_t>(size, 1), alignment));
}

void release_bytes(std::byte* data, size_t size) {
    if (is_large(size))
        ::munmap(data, mapped_size(size));
    else
        ::operator delete(data, alignment);
}

}  // namespace quern
