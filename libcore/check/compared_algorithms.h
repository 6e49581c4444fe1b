// Algorithms that a user names, each held against the model without it: what makes the outputs worse is taken back.
#pragma once

#include <optional>
#include <vector>

#include "libcore/check/correction.h"
#include "libcore/check/split_evaluators.h"

namespace quern {

struct ComparedAlgorithm {
    const Algorithm* row;
    Gain gain;                   // by it, on the rows that choose
    std::optional<Proof> proof;  // on rows held back; none: it loses on those that choose, or there are too few
    bool kept;                   // it loses more than 0.1 dB on neither
};

struct ComparedAlgorithms {
    std::vector<ComparedAlgorithm> all;  // in the order in which they run; those that change nothing are left out
    std::vector<std::string> judged_before;
    Graph graph;  // with those that are kept
    QuantReport report;
    Evaluation evaluation;  // of it, on the rows that choose
};

// `quantizer`: with all of them. One after another is left out, and stays out where the model is better without it. A quantization of the
// model, an evaluation and one over rows held back for each, and for all together.
ComparedAlgorithms compare_algorithms(const Quantizer& quantizer, SplitEvaluators& rows);

}  // namespace quern
