// Memory for runs of bytes. Large ones are pages of their own, which go back to the system at once: the heap may keep what is freed.
#pragma once

#include <cstddef>

namespace quern {

// 64-byte aligned, not initialised. Throws std::bad_alloc.
std::byte* allocate_bytes(size_t size);
void release_bytes(std::byte* data, size_t size);  // as it was asked for

}  // namespace quern
