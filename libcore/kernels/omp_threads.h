// OpenMP, which oneDNN computes with, uses as many threads as the pool finds worth waiting for.
#pragma once

#include <omp.h>

#include "libcore/base/threads.h"

namespace quern {

inline void use_threads(ThreadPool& pool) {
    if (const int threads = pool.threads_now(); omp_get_max_threads() != threads) omp_set_num_threads(threads);
}

inline void use_one_thread() {
    if (omp_get_max_threads() != 1) omp_set_num_threads(1);
}

}  // namespace quern
