// Bias correction, tried on the whole model: it costs nothing where the model runs.
#pragma once

#include <optional>

#include "libcore/check/evaluate.h"
#include "libcore/check/quantizer.h"
#include "libcore/check/split.h"

namespace quern {

// Of a model that was quantized in one way and in another, the worst output.
struct Gain {
    double before_db, after_db;

    double db() const { return after_db - before_db; }
};

// Of the same model before and after a change, on rows that chose neither.
struct Proof {
    Gain gain;
    uint64_t results;

    bool holds() const { return gain.after_db >= gain.before_db; }
};
// Nothing: too few rows are there for any to be held back.
std::optional<Proof> prove(Evaluator* held_back, const Graph& before, const Graph& after);

struct TriedCorrection {
    std::optional<Gain> gain = {};    // on the rows that choose; none: no bias can be corrected
    std::optional<Proof> proof = {};  // where it gains on these, and there are others
    std::optional<Graph> graph = {};  // of what is chosen
    bool chosen = false;              // it gains 0.5 dB or reaches the goal, and loses nothing on rows held back
    Evaluation evaluation = {};       // with it, on the rows that choose, if a bias can be corrected
    const Scheme* type = nullptr;     // of the model that was corrected
};

// By which options biases are corrected over the rows that choose: `feed` must outlive them.
AlgorithmOptions correction_by(const SampleFeed* feed);

// One evaluation, and two over `held_back` (nullptr: there are too few rows). `feed`: the rows that choose; `first`: on these, without it.
TriedCorrection try_correction(const Quantizer& quantizer, const SampleFeed& feed, Evaluator& evaluator, Evaluator* held_back,
                               const Goal& goal, const Evaluation& first);

}  // namespace quern
