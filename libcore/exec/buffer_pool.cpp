#include "libcore/exec/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace quern {
namespace {

constexpr std::align_val_t alignment{64};

// Capacities come in eighths of a power of two, so that tensors of similar size share buffers.
size_t capacity_for(size_t size) {
    if (size <= 1024) return 1024;
    const size_t step = std::bit_floor(size - 1) / 8;
    return (size + step - 1) / step * step;
}

void release(std::byte* data) { ::operator delete(data, alignment); }

}  // namespace

Buffer new_buffer(size_t size) { return {{static_cast<std::byte*>(::operator new(std::max<size_t>(size, 1), alignment)), release}, size}; }

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
            held_ += capacity;
        }
    }
    if (!data) data = static_cast<std::byte*>(::operator new(capacity, alignment));
    const auto give_back = [pool = weak_from_this(), capacity](std::byte* p) {
        if (const auto alive = pool.lock())
            alive->put_back(p, capacity);
        else
            release(p);
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

void BufferPool::trim() {
    const std::scoped_lock lock(mutex_);
    for (const auto& [capacity, data] : free_) {
        release(data);
        held_ -= capacity;
    }
    free_.clear();
}

}  // namespace quern
