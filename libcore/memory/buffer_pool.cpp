#include "libcore/memory/buffer_pool.h"

#include <algorithm>
#include <bit>

#include "libcore/base/error.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/pages.h"

namespace quern {
namespace {

// Capacities come in eighths of a power of two, so that tensors of similar size share buffers.
size_t capacity_for(size_t size) {
    if (size <= 1024) return 1024;
    const size_t step = std::bit_floor(size - 1) / 8;
    return (size + step - 1) / step * step;
}

}  // namespace

Buffer new_buffer(size_t size) {
    return {{allocate_bytes(size), [size](std::byte* data) { release_bytes(data, size); }}, size};
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
    if (!data) data = allocate_bytes(capacity);
    const auto give_back = [pool = weak_from_this(), capacity](std::byte* p) {
        if (const auto alive = pool.lock())
            alive->put_back(p, capacity);
        else
            release_bytes(p, capacity);
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
        release_bytes(data, capacity);
        held_ -= capacity;
    }
    free_.clear();
}

}  // namespace quern
