// oneDNN's parallel regions run on quern's own pool.
#pragma once

#include "libcore/os/threads.h"

namespace quern::onednn {

// What this thread prepares and executes while it lives is split among as many threads of `pool` as are worth waiting for; without a pool
// this thread does it alone. What a program does with oneDNN beside stays with its OpenMP.
class Threads {
   public:
    explicit Threads(ThreadPool& pool) : Threads(&pool, pool.threads_now()) {}
    Threads() : Threads(nullptr, 1) {}
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

   private:
    Threads(ThreadPool* pool, int threads);

    ThreadPool* pool_before_;
    int threads_before_, openmp_before_ = 0;
    bool scoped_before_;
};

}  // namespace quern::onednn
