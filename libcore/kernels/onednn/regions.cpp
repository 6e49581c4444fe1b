// oneDNN is made for OpenMP of GCC, of which it calls six functions. They are defined here, on quern's pool: the loader searches this
// library before those that it needs, so that no thread of OpenMP ever starts. Where the program had loaded oneDNN before, with functions
// of others, OpenMP is told how many threads it may use.
//
// Interface: the manual of GCC's libgomp, "The libgomp ABI"; OpenMP 4.5, section 3.2.
#include "libcore/kernels/onednn/regions.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>

namespace quern::onednn {
namespace {

// Where a thread is: as `number` in the region of a team, or outside, where it may make one of `threads`.
struct Place {
    ThreadPool* pool = nullptr;
    int threads = 1, number = 0, team = 1;
    std::barrier<>* barrier = nullptr;
};

thread_local Place here;
std::atomic<bool> is_ours = false;  // oneDNN has called a function of this file

void region_of_one(void (*body)(void*), void* data) {
    const Place outside = here;
    here.number = 0;
    here.team = 1;
    body(data);
    here = outside;
}

void region(void (*body)(void*), void* data, int threads) {
    const Place outside = here;
    if (threads <= 0) threads = outside.threads;
    if (threads == 1 || outside.team > 1 || !outside.pool) return region_of_one(body, data);
    std::barrier<> barrier(std::min(threads, outside.pool->size()));
    outside.pool->run_team(threads, [&](int number, int team) {
        const Place before = here;
        here = {outside.pool, outside.threads, number, team, &barrier};
        body(data);
        here = before;
    });
}

// A process that was forked has none of the threads that OpenMP still counts on: a region with several would wait for them for ever.
bool has_openmp_threads() {
    static std::atomic<pid_t> owner = 0;  // the process that had regions with several threads
    const pid_t own = ::getpid();
    pid_t first = 0;
    return owner.compare_exchange_strong(first, own) || first == own;
}

void tell_openmp(int threads) {
    static const auto set = [] {
        void* library = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
        return reinterpret_cast<void (*)(int)>(library ? ::dlsym(library, "omp_set_num_threads") : nullptr);
    }();
    if (set) set(threads > 1 && !has_openmp_threads() ? 1 : threads);
}

void allow(ThreadPool* pool, int threads) {
    here.pool = pool;
    here.threads = threads;
    if (!is_ours.load(std::memory_order_relaxed)) tell_openmp(threads);
}

}  // namespace

void use_threads(ThreadPool& pool) { allow(&pool, pool.threads_now()); }
void use_one_thread() { allow(nullptr, 1); }

}  // namespace quern::onednn

// Named by GCC and OpenMP.
#define QUERN_OPENMP extern "C" __attribute__((visibility("default")))

QUERN_OPENMP void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned) {
    quern::onednn::region(body, data, static_cast<int>(threads));
}
QUERN_OPENMP void GOMP_barrier() {
    if (quern::onednn::here.team > 1) quern::onednn::here.barrier->arrive_and_wait();
}
QUERN_OPENMP int omp_get_max_threads() {
    quern::onednn::is_ours.store(true, std::memory_order_relaxed);
    return quern::onednn::here.threads;
}
QUERN_OPENMP int omp_get_num_threads() { return quern::onednn::here.team; }
QUERN_OPENMP int omp_get_thread_num() { return quern::onednn::here.number; }
QUERN_OPENMP int omp_in_parallel() { return quern::onednn::here.team > 1; }
