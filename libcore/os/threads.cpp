#include "libcore/os/threads.h"

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
#include "libcore/os/float_environment.h"
#include "libcore/os/load_meter.h"

namespace quern {
namespace {

thread_local bool inside_pool = false;

constexpr uint64_t spin_time = 100'000;  // nanoseconds

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

}  // namespace

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
    std::atomic<uint32_t> gate{0};  // `open` while a loop takes helpers, plus the number of those inside
    std::atomic<uint64_t> round{0};
    std::atomic<int> sleepers{0};
    std::atomic<bool> stop{false}, crowded{false};
    bool waited_for = false;  // the caller sleeps until nobody is inside
    std::exception_ptr failure;
    size_t failed_at = 0;
    LoadMeter meter{[this] { return others_compute(); }};
    std::vector<std::jthread> threads;

    static constexpr uint32_t open = 1u << 31;

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

    void start() try {
        if (threads.size() + 1 == static_cast<size_t>(size)) return;
        const uint64_t seen = round;
        for (int i = static_cast<int>(threads.size()) + 1; i < size; ++i)
            threads.emplace_back([this, seen] {
                const FloatEnvironment environment;
                serve(seen);
            });
    } catch (const std::system_error& error) {
        throw io_error("cannot start {} threads: {}", size, error.code().message());
    }

    void run(size_t items, const std::function<void(size_t)>& each) {
        start();
        body = &each;
        count = items;
        next = 0;
        failure = nullptr;
        crowded = meter.crowded();
        gate.store(open);
        ++round;
        if (sleepers.load() > 0) {
            { const std::scoped_lock lock(mutex); }  // who is about to sleep has looked at `round`, or will be woken
            wake.notify_all();
        }
        work();
        gate.fetch_and(~open);
        wait_for_helpers();
        if (failure) std::rethrow_exception(failure);
    }

    // Whether threads of other processes compute beside these, and there are not processors enough for all. Unknown: they may; and where
    // time is rationed, what a thread did not get says enough.
    bool others_compute() const {
        if (has_time_quota()) return true;
        const int own = static_cast<int>(threads.size()) + 1 - sleepers.load(), running = running_threads();
        return running == 0 || running - own + size > default_threads();
    }

    // Those that are inside; nobody else comes in.
    void wait_for_helpers() {
        if (spin_until([this] { return gate.load() == 0; })) return;
        const uint64_t begin = LoadMeter::now();
        std::unique_lock lock(mutex);
        waited_for = true;
        done.wait(lock, [this] { return gate.load() == 0; });
        waited_for = false;
        meter.slept(LoadMeter::now() - begin);
    }

    bool enter() {
        uint32_t seen = gate.load();
        while (seen & open)
            if (gate.compare_exchange_weak(seen, seen + 1)) return true;
        return false;
    }

    void leave() {
        if (gate.fetch_sub(1) != 1) return;
        const std::scoped_lock lock(mutex);
        if (waited_for) done.notify_one();
    }

    void serve(uint64_t seen) {
        while (!stop) {
            if (!spin_until([&] { return round.load() != seen || stop; })) {
                std::unique_lock lock(mutex);
                ++sleepers;
                wake.wait(lock, [&] { return round.load() != seen || stop; });
                --sleepers;
            }
            seen = round;
            if (!enter()) continue;
            work();
            leave();
        }
    }

    // Waits actively for as long as two layers of a network may be apart; false: in vain. Not at all while the machine is crowded.
    template <typename Condition>
    bool spin_until(Condition&& met) const {
        if (met()) return true;
        if (crowded) return false;
        for (const uint64_t begin = LoadMeter::now(); LoadMeter::now() - begin < spin_time;)
            for (int i = 0; i < 32; ++i) {
                if (met()) return true;
                relax();
            }
        return false;
    }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>(threads)) {}

ThreadPool::~ThreadPool() = default;

int ThreadPool::size() const { return state_->size; }

int ThreadPool::threads_now() { return state_->size > 1 && state_->meter.crowded() ? 1 : state_->size; }

void ThreadPool::run(size_t count, const std::function<void(size_t)>& body) {
    if (count > 1 && state_->size > 1 && !inside_pool) return state_->run(count, body);
    for (size_t i = 0; i < count; ++i) body(i);
}

void ThreadPool::run_team(int threads, const std::function<void(int, int)>& body) {
    const int count = inside_pool ? 1 : std::clamp(threads, 1, size());
    if (count == 1) return body(0, 1);
    state_->run(static_cast<size_t>(count), [&](size_t i) { body(static_cast<int>(i), count); });
}

void ThreadPool::run_ranges(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
    if (count == 0) return;
    const size_t pieces = std::clamp<size_t>(count / std::max<size_t>(grain, 1), 1, static_cast<size_t>(size()) * 4);
    const auto piece = [&](size_t i) { body(count * i / pieces, count * (i + 1) / pieces); };
    run(pieces, std::ref(piece));  // std::function holds a reference without memory of its own
}

}  // namespace quern
