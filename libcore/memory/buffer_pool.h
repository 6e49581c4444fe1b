// BufferPool: memory for the tensors of a session, reused from step to step and from run to run, so that pages are touched once.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

// A run of 64-byte aligned memory that goes back to its pool (or to the system, if the pool is gone) with its last owner.
struct Buffer {
    std::shared_ptr<std::byte> data;
    size_t size = 0;
    Bytes freeze() const { return {data, data.get(), size}; }
};

// Memory of its own, in no pool.
Buffer new_buffer(size_t size);

class BufferPool : public std::enable_shared_from_this<BufferPool> {
   public:
    static std::shared_ptr<BufferPool> make() { return std::shared_ptr<BufferPool>(new BufferPool); }
    ~BufferPool();

    // Throws Exit::unsupported if this would be more than memory_limit() with what is in use.
    Buffer take(size_t size);
    size_t held_bytes() const;  // everything allocated: in use and free
    void trim();                // gives free memory back to the system

   private:
    BufferPool() = default;
    void put_back(std::byte* data, size_t capacity);
    void make_room(size_t capacity);
    void free_all();

    mutable std::mutex mutex_;
    std::multimap<size_t, std::byte*> free_;  // by capacity
    size_t held_ = 0;
};

}  // namespace quern
