// Evaluations: a quantized model beside its float model over all samples, as each runs by itself. This is what estimates are held against.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/samples/samples.h"
#include "libcore/check/metric.h"
#include "libcore/deploy/mixed.h"
#include "libcore/exec/session.h"
#include "libcore/runs/compare.h"
#include "libcore/runs/score.h"

namespace quern {

struct Evaluation {
    uint64_t results = 0;
    std::optional<Score> exact, quantized;    // with labels
    uint64_t agreeing = 0;                    // rows of scores whose greatest score is of the same class in both
    uint64_t compared = 0;                    // for which that was asked; 0: the output is not [batch, classes]
    std::vector<ComparedValue> outputs;       // of numbers
    std::optional<MetricFigure> metric;       // where one was asked for
    std::vector<std::string> contradictions;  // samples on another scale than the model's inputs, as sentences

    double agreement() const { return compared > 0 ? 100.0 * static_cast<double>(agreeing) / static_cast<double>(compared) : 100; }
    double worst_db() const;             // the minimum SQNR of an output, or of its worst part; infinite where nothing is lost
    const ComparedValue* worst() const;  // the output of that; nullptr: there is none
    double drop_points() const;          // of top-1, in percent points: positive where the float model is better
};
double top1_percent(const Score& score);
// "top-1 96.88 % (float 98.44 %), agreement 98.44 % (63 of 64)", of what there is; "".
std::string scores_text(const Evaluation& evaluation);

struct EvaluateOptions {
    const Labels* labels = nullptr;
    std::string scored;     // the output with the scores; "": the first
    bool each_row = false;  // every row of the last dim of that output is a set of scores, as of language models
    int threads = 1;
    std::optional<MixedOptions> mixed = {};           // where quantized models run; none: here. Not asked where evaluate() is given a mode
    const Profile* profile = nullptr;                 // arithmetic of quantized models; nullptr: what they name
    std::function<Graph(const Graph&)> as_read = {};  // what a reader of the product has; nothing: the quantized graph itself
    MakeMetric metric = {};                           // nothing: none is asked for
    std::function<void()> step = [] {};               // after each sample
};

// What a quantized model must keep.
struct Goal {
    std::optional<double> min_sqnr_db, max_drop_points, min_agreement;  // at each output; of top-1; in percent
    std::optional<double> min_metric, max_metric;                       // of evaluations with one
    std::optional<double> max_metric_drop;                              // the same: percent of the float model's figure

    bool of_metric() const { return min_metric || max_metric || max_metric_drop; }
    bool given() const { return min_sqnr_db || max_drop_points || min_agreement || of_metric(); }
    bool is_met(const Evaluation& evaluation) const { return missed(evaluation).empty(); }
    std::vector<std::string> missed(const Evaluation& evaluation) const;  // "agreement 91.00 %, wanted at least 95 %"
    double metric_missed_by(const Evaluation& evaluation) const;          // what the metric lacks of it, at most; 0: nothing
};

// The float model's outputs are kept between evaluations as long as they take less than `kept_limit` bytes.
class Evaluator {
   public:
    // Throws Exit::usage if the output with the scores is not there.
    Evaluator(const Graph& exact, const SampleSource& source, const EvaluateOptions& options);

    // Throws Exit::bad_input if the two have not the same inputs and outputs. `mode`: nothing, as the model runs by itself, of which the
    // metric is. `name`: what a metric may call the model.
    Evaluation evaluate(const Graph& quantized, std::optional<Mode> mode = std::nullopt, const std::string& name = "quantized");
    uint64_t count() const { return count_; }  // evaluations up to now

    static constexpr size_t kept_limit = size_t{64} << 20;

   private:
    struct Asked {
        uint64_t row;
        const Tensor* tokens;  // of a language model; nullptr: none
    };

    void compare_scores(const Tensor& wanted, const Tensor& got, const Asked& asked, Evaluation& to) const;
    void compare_classes(const Tensor& wanted, const Tensor& got, Evaluation& to) const;
    const std::vector<Tensor>& exact_outputs(uint64_t sample, const std::vector<Tensor>& inputs);

    const Graph& exact_;
    const SampleSource& source_;
    EvaluateOptions options_;
    const std::unique_ptr<Metric> metric_;
    size_t scored_ = 0;
    ThreadPool pool_;
    std::optional<Session> session_;
    std::vector<std::vector<Tensor>> kept_;  // by sample
    size_t kept_bytes_ = 0;
    std::vector<Tensor> current_;
    uint64_t count_ = 0;
};

// What stays quantized of a model: constants that a node reads, and values by name, inputs among them.
struct KeptCodes {
    std::function<bool(const Node&)> weights;
    std::function<bool(const std::string&)> values;
};
// The quantized model with the numbers of the float model in place of all others: constants of the same name, values without an encoding.
// For runs in mode fake.
Graph partly_quantized(const Graph& exact, const Graph& quantized, const KeptCodes& kept);
// Quantized constants that the float model has none of, by name and shape.
std::vector<std::string> missing_constants(const Graph& exact, const Graph& quantized);

}  // namespace quern
