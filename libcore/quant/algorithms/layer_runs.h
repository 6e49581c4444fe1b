// LayerRuns: what a layer reads and gives over samples. A layer of the graph itself is met once a sample; that of a body of If, Loop or
// Scan as often as the body runs, its input - which may be captured from around the body - as it was then.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/quant/algorithms/layer.h"
#include "libcore/quant/algorithms/value_runs.h"

namespace quern {

struct Meeting {
    Tensor input, output;
};
using Meetings = std::vector<Meeting>;  // of one sample, in the order of the runs

class LayerRuns {
   public:
    // `part`: the graph or body of `root` that has the layer.
    LayerRuns(const Graph& root, const Graph& part, const Layer& layer, Mode mode, const SampleFeed& feed, ThreadPool& pool);
    ~LayerRuns();

    // As ValueRuns::run().
    void run(const std::vector<uint64_t>& samples, const std::function<void(size_t, const Meetings&)>& see,
             const std::function<void(size_t, size_t)>& done);

   private:
    struct Lane;
    Meetings observed(uint64_t sample, Lane& lane) const;

    const SampleFeed& feed_;
    ThreadPool& pool_;
    ThreadPool serial_;
    std::unique_ptr<ValueRuns> values_;         // of a layer of the graph itself
    std::vector<std::unique_ptr<Lane>> lanes_;  // of a body's
};

}  // namespace quern
