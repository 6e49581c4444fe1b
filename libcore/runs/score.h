// Scoring of classifier outputs against labels.
//
// Labels: a CSV file with a header, FILE or FILE:COLUMN (default "label"). A cell is a class, several accepted ones ("282|283"), or empty:
// not scored. "next-token" takes the labels from the sample's first integer input: position t is to predict token t+1.
#pragma once

#include <string>
#include <vector>

#include "formats/samples/source.h"
#include "libcore/graph/tensor.h"

namespace quern {

struct Score {
    uint64_t scored = 0, top1 = 0, top5 = 0;
    double nll = 0;  // next-token: sum of the negative log-likelihoods
};

class Labels {
   public:
    // `offset` is added to each class. Errors: Exit::bad_input, Exit::io.
    Labels(const std::string& source, int64_t offset);

    // Throws Exit::bad_input unless there is a label for each sample and none beside: for all samples that there are, or for those up to
    // the last one that is taken.
    void check(const SampleSource& source) const;
    // Scores the class scores `output` of row `row`; with next_token, of `tokens`. A row without a label line is an error.
    void add(Score& score, uint64_t row, const Tensor& output, const Tensor* tokens) const;

   private:
    std::string file_;
    bool next_token_ = false;
    std::vector<std::vector<int64_t>> classes_;  // accepted, by row
};

}  // namespace quern
