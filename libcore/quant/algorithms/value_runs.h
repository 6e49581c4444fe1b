// ValueRuns: values of a graph over samples, computed by the part of the graph that they need. One sample a thread on single-threaded
// kernels; a window of samples is in memory at a time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "libcore/exec/session.h"
#include "libcore/quant/collect/collect.h"

namespace quern {

class ValueRuns {
   public:
    ValueRuns(const Graph& graph, Mode mode, const std::vector<ValueId>& wanted, const SampleFeed& feed, ThreadPool& pool);
    ~ValueRuns();

    // For each of `samples`: see(position in samples, tensors in the order of `wanted`), on any thread.
    // done(begin, end) after each window of positions, on the calling thread.
    void run(const std::vector<uint64_t>& samples, const std::function<void(size_t, const std::vector<Tensor>&)>& see,
             const std::function<void(size_t, size_t)>& done = {});

   private:
    // `session`: nullptr if inputs alone are wanted.
    std::vector<Tensor> tensors_of(uint64_t sample, Session* session) const;

    const SampleFeed& feed_;
    ThreadPool& pool_;
    ThreadPool serial_;
    std::vector<std::unique_ptr<Session>> sessions_;
    std::vector<std::pair<bool, size_t>> places_;  // of each wanted value: is it an input, and which input or output of the part
};

// fn(i) for `count` numbers on the pool's threads, done(begin, end) after each window of them.
void in_windows(ThreadPool& pool, size_t count, const std::function<void(size_t)>& fn, const std::function<void(size_t, size_t)>& done);

// The whole of a feed, or at most `most` samples of it at equal distances.
std::vector<uint64_t> spread_samples(const SampleFeed& feed, uint64_t most);

}  // namespace quern
