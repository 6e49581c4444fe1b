// The check of a quantized model beside its float model: is it good, what cost it, what mends it.
#pragma once

#include "libcore/check/report.h"

namespace quern {

struct CheckOptions {
    size_t evaluated_units = 0;  // the worst units whose estimates are evaluated, too: two evaluations each
    int threads = 1;
    std::function<void()> step = [] {};  // after each sample of an instrumented run
};

// Evaluates `quantized` and puts it behind the models of the report.
void check_model(CheckReport& report, Evaluator& evaluator, const std::string& name, const Graph& quantized, const Goal& goal);

// Sensitivities of the units of `quantized`.
void check_units(CheckReport& report, Evaluator& evaluator, const Graph& exact, const Graph& quantized, const SampleSource& source,
                 const CheckOptions& options);

}  // namespace quern
