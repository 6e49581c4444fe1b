// ValueRuns: values of a graph over samples, computed by the part of the graph that they need. One sample a thread on single-threaded
// kernels.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "libcore/exec/session.h"
#include "libcore/quant/collect/collect.h"

namespace quern {

// What later runs of a ValueRuns begin with.
enum class Between : uint8_t {
    forgotten,  // the samples
    kept        // what nodes gave that have run, where other nodes will read it: as long as that takes at most 512 MB
};

class ValueRuns {
   public:
    // With Between::kept, constants that no run has read may change between runs, and values behind those of the run before cost least.
    ValueRuns(const Graph& graph, Mode mode, const SampleFeed& feed, ThreadPool& pool, Between between = Between::forgotten)
        : graph_(graph), mode_(mode), feed_(feed), pool_(pool), serial_(1), between_(between) {}

    // For each of `samples`: see(position in samples, tensors in the order of `wanted`), on any thread.
    // done(begin, end) after each window of positions, on the calling thread.
    void run(const std::vector<ValueId>& wanted, const std::vector<uint64_t>& samples,
             const std::function<void(size_t, const std::vector<Tensor>&)>& see, const std::function<void(size_t, size_t)>& done = {});

   private:
    using Nodes = std::set<NodeId>;
    using Kept = std::map<ValueId, std::vector<Tensor>>;  // by position in the samples
    struct Part;

    bool find_missing(const std::vector<ValueId>& wanted, Nodes& nodes) const;
    Part part_for(const std::vector<ValueId>& wanted, const Nodes& nodes) const;
    std::set<ValueId> read_later(const Nodes& nodes) const;
    void run_one(size_t i, const Part& part, Session* session, std::vector<Tensor>& tensors, Kept& next) const;
    void keep(const Nodes& nodes, Kept next);
    void forget();

    const Graph& graph_;
    Mode mode_;
    const SampleFeed& feed_;
    ThreadPool& pool_;
    ThreadPool serial_;
    Between between_;
    std::vector<uint64_t> samples_;  // of what is kept
    Kept kept_;
    Nodes ran_;
};

// fn(i) for `count` numbers on the pool's threads, done(begin, end) after each window of them.
void in_windows(ThreadPool& pool, size_t count, const std::function<void(size_t)>& fn, const std::function<void(size_t, size_t)>& done);

// The whole of a feed, or at most `most` samples of it at equal distances.
std::vector<uint64_t> spread_samples(const SampleFeed& feed, uint64_t most);

}  // namespace quern
