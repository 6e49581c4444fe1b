// Weights of a model that are in blocks of quantized types before the quantizer sees it: what --allow-requantize is about.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libcore/graph/graph.h"
#include "libcore/quant/report/report.h"

namespace quern {

class QuantizedBefore {
   public:
    explicit QuantizedBefore(const Graph& graph);
    // "Q4_K" by the names of values.
    const std::map<std::string, std::string>& weights() const { return weights_; }

    // Says of each value of the report what it was.
    void note(QuantReport& report) const;
    // "32 weights in blocks of Q8_0, 81.0 % of the parameters,"
    std::string text() const;
    // That they were quantized again, and how far the worst of them is from what it was.
    std::string requantized_text(const QuantReport& report) const;

   private:
    std::map<std::string, std::string> weights_;
    int64_t elements_ = 0, all_ = 0;
};

}  // namespace quern
