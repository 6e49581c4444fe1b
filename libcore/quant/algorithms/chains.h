// Chains: two layers whose channels can be scaled against each other, because what is between them works channel by channel and is
// positively homogeneous: f(s x) = s f(x) for s > 0.
#pragma once

#include <vector>

#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/algorithms/layer.h"

namespace quern {

struct Chain {
    size_t first = 0, second = 0;  // indices of layers: an output of the first is an input channel of the second
    struct Between {
        ValueId id;
        int axis;       // of channels
        size_t spread;  // numbers along it that belong to a channel
        bool cyclic;    // channel of number i: i % channels, else i / spread
    };
    std::vector<Between> between;  // values that are scaled, from the first layer's results with their bias on
    bool relu = false;             // is a single Relu all that is between?
    size_t spread = 1;             // columns of the second that read one channel
    bool cyclic = false;

    // The channel that column k of output `out` of the second layer reads.
    size_t channel(const Graph& graph, const Layer& second_layer, size_t out, size_t k) const;
};

struct Chains {
    std::vector<Layer> layers;
    std::vector<Chain> chains;
    std::vector<std::string> bounded;  // names of Clips that end a chain: a scale would move their bound
};
// Of layers that are to be treated.
Chains chains_of(const AlgorithmRun& run);

// Records in `changed` that channel i of all values between was multiplied by scale[i], then shift[i] was added.
void change_between(const Graph& graph, const Chain& chain, std::span<const double> scale, std::span<const double> shift,
                    ChangedValues& changed);

}  // namespace quern
