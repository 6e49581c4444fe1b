// One number that says what a model is worth, for the float model and for a quantized one: --metric.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/tensors/fit.h"
#include "libcore/runs/score.h"

namespace quern {

struct MetricFigure {
    struct Worst {
        std::string name;  // "sample 3", from 0
        double value = 0;
    };
    std::string name;  // as --metric has it
    double exact = 0, quantized = 0;
    std::optional<Worst> worst;

    double drop_percent() const;  // of the float model's figure: positive where that is greater; NaN where it is 0
};

std::string number_text(double number);                     // of a metric
std::string brief_metric_text(const MetricFigure& figure);  // "metric 0.912 (float 0.934)"
// "0.912 (float 0.934); sample 3 has 0.7".
std::string metric_text(const MetricFigure& figure);

// A result of both models: outputs in the order of the float model's.
struct MetricSample {
    uint64_t number = 0, row = 0;  // as those of Result
    const std::vector<Tensor>&exact, &quantized;
    size_t scored = 0;  // the output with the scores
};

class Metric {
   public:
    virtual ~Metric() = default;
    // A quantized model, called `model`, over samples; results come in order, the float model's the same in every run.
    virtual void begin(const std::string& model) = 0;
    virtual void add(const MetricSample& sample) = 0;
    virtual MetricFigure finish(const std::optional<Score>& exact, const std::optional<Score>& quantized) = 0;
};

struct MetricOptions {
    std::string text;                // --metric: one of built_in_metrics or a command
    bool scored = false;             // was the output with the scores named?
    std::string labels;              // --labels
    std::vector<InputSpec> outputs;  // of the float model
    std::function<void(const std::string&)> note = [](const std::string&) {};
};
// Errors: Exit::unsupported, where code of others is forbidden.
std::unique_ptr<Metric> make_metric(const MetricOptions& options);

using MakeMetric = std::function<std::unique_ptr<Metric>()>;  // one for each set of samples

}  // namespace quern
