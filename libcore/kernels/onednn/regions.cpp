// oneDNN is made for OpenMP of GCC, of which it calls six functions. They are defined here, on quern's pool: the loader searches this
// library before those that it needs, so that no thread of OpenMP starts for quern. Outside of quern's kernels they are OpenMP's own.
// Where the program had loaded oneDNN before, with functions of others, OpenMP is told how many threads it may use.
//
// Interface: the manual of GCC's libgomp, "The libgomp ABI"; OpenMP 4.5, section 3.2.
#include "libcore/kernels/onednn/regions.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <string_view>

namespace quern::onednn {
namespace {

// Where a thread is: `scoped` in a kernel of quern, as `number` in the region of a team, or outside of one, where it may make one of
// `threads`.
struct Place {
    ThreadPool* pool = nullptr;
    int threads = 1, number = 0, team = 1;
    std::barrier<>* barrier = nullptr;
    bool scoped = false;
};

thread_local Place here;

// libgomp, which oneDNN brings.
struct OpenMp {
    void* library = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void (*parallel)(void (*)(void*), void*, unsigned, unsigned) = function<decltype(parallel)>("GOMP_parallel");
    void (*barrier)() = function<decltype(barrier)>("GOMP_barrier");
    int (*max_threads)() = function<decltype(max_threads)>("omp_get_max_threads");
    int (*num_threads)() = function<decltype(num_threads)>("omp_get_num_threads");
    int (*thread_num)() = function<decltype(thread_num)>("omp_get_thread_num");
    int (*in_parallel)() = function<decltype(in_parallel)>("omp_in_parallel");
    void (*set_threads)(int) = function<decltype(set_threads)>("omp_set_num_threads");

    template <class Function>
    Function function(const char* name) const {
        return reinterpret_cast<Function>(library ? ::dlsym(library, name) : nullptr);
    }
};

const OpenMp& openmp() {
    static const OpenMp one;
    return one;
}

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
        here = {outside.pool, outside.threads, number, team, &barrier, true};
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

// Has oneDNN been loaded before this library? Then the functions that it calls are not these. Objects are listed as they were loaded.
bool has_other_functions() {
    struct Order {
        bool found = false, other = false;
    } order;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* data) {
            auto& seen = *static_cast<Order*>(data);
            const std::string_view path = object->dlpi_name;
            if (path.find("libquern_dnnl") != path.npos)
                seen.found = true;
            else if (path.find("libdnnl.so") != path.npos)
                seen.other = !seen.found;
            return 0;
        },
        &order);
    return order.other;
}

// The number before; 0: it was not told.
int tell_openmp(int threads) {
    static const bool needs_telling = has_other_functions() && openmp().set_threads && openmp().max_threads;
    if (!needs_telling) return 0;
    const int before = openmp().max_threads();
    openmp().set_threads(threads > 1 && !has_openmp_threads() ? 1 : threads);
    return before;
}

}  // namespace

Threads::Threads(ThreadPool* pool, int threads)
    : pool_before_(here.pool), threads_before_(here.threads), openmp_before_(tell_openmp(threads)), scoped_before_(here.scoped) {
    here.pool = pool;
    here.threads = threads;
    here.scoped = true;
}

Threads::~Threads() {
    here.pool = pool_before_;
    here.threads = threads_before_;
    here.scoped = scoped_before_;
    if (openmp_before_ > 0) openmp().set_threads(openmp_before_);
}

}  // namespace quern::onednn

// Named by GCC and OpenMP.
#define QUERN_OPENMP extern "C" __attribute__((visibility("default")))

using quern::onednn::here;
using quern::onednn::openmp;

QUERN_OPENMP void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
    if (here.scoped || !openmp().parallel) return quern::onednn::region(body, data, static_cast<int>(threads));
    openmp().parallel(body, data, threads, flags);
}
QUERN_OPENMP void GOMP_barrier() {
    if (here.team > 1)
        here.barrier->arrive_and_wait();
    else if (!here.scoped && openmp().barrier)
        openmp().barrier();
}
QUERN_OPENMP int omp_get_max_threads() { return here.scoped || !openmp().max_threads ? here.threads : openmp().max_threads(); }
QUERN_OPENMP int omp_get_num_threads() { return here.scoped || !openmp().num_threads ? here.team : openmp().num_threads(); }
QUERN_OPENMP int omp_get_thread_num() { return here.scoped || !openmp().thread_num ? here.number : openmp().thread_num(); }
QUERN_OPENMP int omp_in_parallel() { return here.scoped || !openmp().in_parallel ? here.team > 1 : openmp().in_parallel(); }
