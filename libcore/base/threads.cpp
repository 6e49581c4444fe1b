#include "libcore/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "libcore/base/error.h"

namespace quern {
namespace {
thread_local bool inside_pool = false;
}

int default_threads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

struct ThreadPool::State {
    explicit State(int threads_) : size(std::max(threads_, 1)) {}

    const int size;
    std::mutex mutex;
    std::condition_variable wake, done;
    const std::function<void(size_t)>* body = nullptr;
    size_t count = 0;
    std::atomic<size_t> next{0};
    size_t busy = 0;
    size_t round = 0;
    bool stop = false;
    std::exception_ptr failure;
    size_t failed_at = 0;
    std::vector<std::jthread> threads;

    ~State() {
        {
            const std::scoped_lock lock(mutex);
            stop = true;
        }
        wake.notify_all();
        threads.clear();
    }

    void work() {
        const bool nested = std::exchange(inside_pool, true);
        for (size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                (*body)(i);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (!failure || i < failed_at) {
                    failure = std::current_exception();
                    failed_at = i;
                }
            }
        }
        inside_pool = nested;
    }

    // With the mutex held, so that a thread sees the first round.
    void start() try {
        for (int i = static_cast<int>(threads.size()) + 1; i < size; ++i) threads.emplace_back([this, seen = round] { serve(seen); });
    } catch (const std::system_error& error) {
        throw io_error("cannot start {} threads: {}", size, error.code().message());
    }

    void serve(size_t seen) {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [&] { return stop || round != seen; });
            if (stop) return;
            seen = round;
            lock.unlock();
            work();
            lock.lock();
            if (--busy == 0) done.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>(threads)) {}

ThreadPool::~ThreadPool() = default;

int ThreadPool::size() const { return state_->size; }

void ThreadPool::run(size_t count, const std::function<void(size_t)>& body) {
    State& s = *state_;
    if (count == 0) return;
    if (count == 1 || s.size == 1 || inside_pool) {
        for (size_t i = 0; i < count; ++i) body(i);
        return;
    }
    {
        const std::scoped_lock lock(s.mutex);
        s.start();
        s.body = &body;
        s.count = count;
        s.next = 0;
        s.busy = s.threads.size();
        s.failure = nullptr;
        ++s.round;
    }
    s.wake.notify_all();
    s.work();
    std::unique_lock lock(s.mutex);
    s.done.wait(lock, [&] { return s.busy == 0; });
    if (s.failure) std::rethrow_exception(s.failure);
}

void ThreadPool::run_ranges(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
    if (count == 0) return;
    const size_t pieces = std::clamp<size_t>(count / std::max<size_t>(grain, 1), 1, static_cast<size_t>(size()) * 4);
    run(pieces, [&](size_t i) { body(count * i / pieces, count * (i + 1) / pieces); });
}

}  // namespace quern
