// Loops of a kernel on the threads of its pool.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libcore/os/threads.h"

namespace quern::direct {

// body(i) for i in [0, count), `each` units of work apiece; a task of its own is worth `min` units.
template <typename Body>
void for_each(ThreadPool& pool, int64_t count, int64_t each, int64_t min, const Body& body) {
    const int64_t grain = std::max<int64_t>(min / std::max<int64_t>(each, 1), 1);
    pool.run_ranges(static_cast<size_t>(count), static_cast<size_t>(grain), [&](size_t begin, size_t end) {
        for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) body(i);
    });
}

}  // namespace quern::direct
