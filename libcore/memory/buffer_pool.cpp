#include "libcore/memory/buffer_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#include "libcore/base/error.h"
#include "libcore/base/memory_limit.h"

namespace quern {
namespace {

constexpr std::align_val_t alignment{64};

// Capacities come in eighths of a power of two, so that tensors of similar size share buffers.
size_t capacity_for(size_t size) {
    if (size <= 1024) return 1024;
    const size_t step = std::bit_floor(size - 1) / 8;
    return (size + step - 1) / step * step;
}

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

std::byte* allocate(size_t size) {
    return is_large(size) ? map_memory(size) : static_cast<std::byte*>(::operator new(std::max<size_t>(size, 1), alignment));
}
void release(std::byte* data, size_t size) {
    if (is_large(size))
        ::munmap(data, mapped_size(size));
    else
        ::operator delete(data, alignment);
}

}  // namespace

Buffer new_buffer(size_t size) {
    return {{allocate(size), [size](std::byte* data) { release(data, size); }}, size};
}

BufferPool::~BufferPool() { trim(); }

Buffer BufferPool::take(size_t size) {
    size_t capacity = capacity_for(size);
    std::byte* data = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        const auto found = free_.lower_bound(capacity);
        if (found != free_.end() && found->first <= capacity + capacity / 4) {
            capacity = found->first;
            data = found->second;
            free_.erase(found);
        } else {
            make_room(capacity);
            held_ += capacity;
        }
    }
    if (!data) data = allocate(capacity);
    const auto give_back = [pool = weak_from_this(), capacity](std::byte* p) {
        if (const auto alive = pool.lock())
            alive->put_back(p, capacity);
        else
            release(p, capacity);
    };
    return {{data, give_back}, size};
}

void BufferPool::put_back(std::byte* data, size_t capacity) {
    const std::scoped_lock lock(mutex_);
    free_.emplace(capacity, data);
}

size_t BufferPool::held_bytes() const {
    const std::scoped_lock lock(mutex_);
    return held_;
}

// Refuses a buffer that would take this pool over the limit, before the system does so without a word.
void BufferPool::make_room(size_t capacity) {
    if (surely_fits(held_ + capacity)) return;
    const uint64_t limit = memory_limit();
    if (held_ + capacity <= limit) return;
    free_all();
    need_memory(held_ + capacity, fmt::format("a buffer of {} bytes beside those in use", capacity), limit);
}

void BufferPool::trim() {
    const std::scoped_lock lock(mutex_);
    free_all();
}

void BufferPool::free_all() {
    for (const auto& [capacity, data] : free_) {
        release(data, capacity);
        held_ -= capacity;
    }
    free_.clear();
}

}  // namespace quern
