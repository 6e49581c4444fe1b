// Threads: a fixed pool and a parallel loop. The split of work never depends on the number of threads in a way that could change a result:
// bodies own disjoint outputs.
//
// The pool is made for machines that are used by others, too: the caller takes pieces of work like every other thread and never waits for
// a thread that has not come yet; who waits for the next loop spins for some tens of microseconds of measured time, the time between two
// layers of a network, then sleeps; nobody spins while the machine is crowded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace quern {

// The number of threads quern uses unless told otherwise: the processors this process may run on.
int default_threads();

class ThreadPool {
   public:
    explicit ThreadPool(int threads);  // `threads` counts the caller; the others start when there is work for them
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const;
    // How many threads are worth waiting for just now: 1 while other processes take the processors from the calling thread, else size().
    // For libraries that split work into as many parts as they have threads, and wait for each.
    int threads_now();

    // Calls body(i) for i in [0, count), each once, on any thread, and returns when all are done. The exception of
    // the lowest failing i is rethrown. Calls from inside a body run serially. Exit::io if the threads cannot be started.
    void run(size_t count, const std::function<void(size_t)>& body);

    // The same over ranges: body(begin, end) with at least `grain` items each, except the last.
    void run_ranges(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body);

    // As a parallel region of OpenMP: body(i, count) for each i in [0, count), count = min(threads, size()); one call, body(0, 1), where a
    // loop would run serially. A body may wait for the others at a barrier: each i is on a thread of its own until it returns.
    void run_team(int threads, const std::function<void(int, int)>& body);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace quern
