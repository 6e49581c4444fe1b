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

// Of layers in an order of the graph and its bodies, one after another: those of the graph itself share what ran before them.
class LayerRuns {
   public:
    LayerRuns(const Graph& root, Mode mode, const SampleFeed& feed, ThreadPool& pool, Between between);
    ~LayerRuns();

    // `part`: the graph or body of the root that has the layer. Without `results` a layer of the graph itself does not run, and its
    // output is undefined. As ValueRuns::run().
    void run(const Graph& part, const Layer& layer, bool results, const std::vector<uint64_t>& samples,
             const std::function<void(size_t, const Meetings&)>& see, const std::function<void(size_t, size_t)>& done);

   private:
    struct Lane;
    Meetings observed(uint64_t sample, Lane& lane) const;

    const Graph& root_;
    Mode mode_;
    const SampleFeed& feed_;
    ThreadPool& pool_;
    ThreadPool serial_;
    ValueRuns values_;  // of the graph itself
};

}  // namespace quern
