// What a layer multiplies and what it should give, gathered over samples: inputs as the quantized model has them, results as the float
// model has them.
#pragma once

#include <vector>

#include "libcore/os/threads.h"
#include "libcore/quant/algorithms/layer.h"
#include "libcore/quant/algorithms/layer_runs.h"
#include "libcore/quant/collect/collect.h"

namespace quern {

// A layer in the float graph and in the quantized one: of the graphs themselves, or of a body of theirs.
struct LayerPair {
    const Graph& reference;
    Layer real;
    const Graph& graph;
    Layer own;
    std::string path = "";  // of the body: "node/body/"
};

struct LayerRows {
    size_t rows = 0, depth = 0, outs = 0;
    std::vector<float> x;                // [groups, rows, depth]
    std::vector<float> y;                // [outs, rows]: results with the bias, before the activation
    std::vector<double> mean_x, mean_y;  // if asked for, over all positions of all samples: [groups * depth], [outs]
    std::string missing;                 // why there are none: what no sample reached

    const float* group(size_t g) const { return x.data() + g * rows * depth; }
    const float* results(size_t out) const { return y.data() + out * rows; }
};

// Gathers the rows of layers of one pair of graphs, in the order of layer_pairs(): so all of them together cost two runs over the samples.
class RowGatherer {
   public:
    // At most `most` rows of each layer, and what fills 256 MB, at equal distances over the samples and the positions in each.
    RowGatherer(const Graph& reference, const Graph& graph, const SampleFeed& feed, size_t most, bool means, ThreadPool& pool,
                Between between = Between::kept)
        : feed_(feed),
          most_(most),
          means_(means),
          reference_(reference, Mode::floating, feed, pool, between),
          graph_(graph, Mode::fake, feed, pool, between) {}

    LayerRows gather(const LayerPair& pair);

   private:
    const SampleFeed& feed_;
    size_t most_;
    bool means_;
    LayerRuns reference_, graph_;
};

// Every fourth row is not fitted to: what was fitted to the others is judged by it.
inline bool is_judge(size_t row) { return row % 4 == 3; }

}  // namespace quern
