// Outputs of Softmax (also as a quotient of exponentials), Sigmoid and the like saturate: they tell of the few samples at a border between
// classes, and hide the noise of all others. What these operators read tells of every sample.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

class BeforeSaturation {
   public:
    explicit BeforeSaturation(const Graph& exact);

    // With what saturating operators read in place of their outputs; of a quantized graph of the same model, by name. An output whose
    // operand is not there stays.
    Graph operator()(const Graph& graph) const;
    const std::vector<std::string>& operators() const { return operators_; }  // in the order of outputs; each once

   private:
    std::vector<std::string> names_;  // by output
    std::vector<std::string> operators_;
};

}  // namespace quern
