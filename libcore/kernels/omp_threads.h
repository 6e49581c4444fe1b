// OpenMP, which oneDNN computes with, uses as many threads as the pool finds worth waiting for.
#pragma once

#include <omp.h>
#include <unistd.h>

#include <atomic>

#include "libcore/os/threads.h"

namespace quern {

// A process that was forked has none of the threads that OpenMP of GCC still counts on: a region with several would wait for them for ever.
inline bool has_openmp_threads() {
    static std::atomic<pid_t> owner = 0;  // the process that had regions with several threads
    const pid_t own = ::getpid();
    pid_t first = 0;
    return owner.compare_exchange_strong(first, own) || first == own;
}

inline void use_openmp_threads(int threads) {
    if (threads > 1 && !has_openmp_threads()) threads = 1;
    if (omp_get_max_threads() != threads) omp_set_num_threads(threads);
}

inline void use_threads(ThreadPool& pool) { use_openmp_threads(pool.threads_now()); }
inline void use_one_thread() { use_openmp_threads(1); }

}  // namespace quern
