// Samples on another scale than the one that a model was quantized for: pixels up to 255 beside an encoding for 0 to 1.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/graph/tensor.h"

namespace quern {

class InputScale {
   public:
    // `places`: by input of the quantized graph, its place among the tensors of a sample.
    InputScale(const Graph& quantized, const std::vector<size_t>& places);

    void see(const std::vector<Tensor>& sample);
    // Inputs of which the greatest magnitude of all samples and that of the encoding are more than a factor of 16 apart, as sentences.
    std::vector<std::string> contradictions() const;

   private:
    struct Input {
        std::string name;
        size_t place;
        double lowest, highest;  // of its encoding
        double min = 0, max = 0;
    };
    std::vector<Input> inputs_;
};

}  // namespace quern
