// OpenMP, which the kernel libraries compute with, uses as many threads as the pool has.
#pragma once

#include <omp.h>

#include "libcore/base/threads.h"

namespace quern {

inline void use_threads(const ThreadPool& pool) {
    if (omp_get_max_threads() != pool.size()) omp_set_num_threads(pool.size());
}

}  // namespace quern
