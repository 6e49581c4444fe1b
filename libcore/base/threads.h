// Threads: a fixed pool and a parallel loop. Waiting is passive (no spinning). The split of work never depends on the
// number of threads in a way that could change a result: bodies own disjoint outputs.
#pragma once

#include <cstddef>
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

    // Calls body(i) for i in [0, count), each once, on any thread, and returns when all are done. The exception of
    // the lowest failing i is rethrown. Calls from inside a body run serially. Exit::io if the threads cannot be started.
    void run(size_t count, const std::function<void(size_t)>& body);

    // The same over ranges: body(begin, end) with at least `grain` items each, except the last.
    void run_ranges(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace quern
