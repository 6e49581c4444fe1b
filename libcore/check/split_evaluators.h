// What chooses between quantizations of a model: the worst output over the rows that choose, held against rows held back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/check/evaluate.h"
#include "libcore/check/saturation.h"
#include "libcore/check/split.h"

namespace quern {

class SplitEvaluators {
   public:
    // `exact`: the float model as the quantizer sees it; `how`: of all evaluations; `outputs`: over the rows that choose; `looks_before`:
    // where outputs saturate, what their operators read chooses.
    SplitEvaluators(const Graph& exact, const Split& split, const EvaluateOptions& how, Evaluator& outputs, bool looks_before);

    Evaluator& choosing() { return unsaturated_ ? *unsaturated_ : outputs_; }
    Evaluator* held_back() { return held_back_.get(); }  // nullptr: there are too few rows
    // Operators of which what they read chooses; none: the outputs do.
    std::vector<std::string> judged_before() const { return unsaturated_ ? before_saturation_.operators() : std::vector<std::string>(); }
    // Of the outputs themselves, on the rows that choose; `chosen`: of what chooses, where that is known.
    Evaluation of_outputs(const Graph& quantized, const Evaluation& chosen) { return unsaturated_ ? outputs_.evaluate(quantized) : chosen; }

   private:
    std::unique_ptr<Evaluator> over(const SampleSource& samples, EvaluateOptions how) const;

    const BeforeSaturation before_saturation_;
    const Graph exact_;
    Evaluator& outputs_;
    const std::unique_ptr<Evaluator> unsaturated_, held_back_;
};

}  // namespace quern
