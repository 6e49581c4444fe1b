#include "libcore/check/metric.h"

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/runs/compare.h"
#include "libcore/runs/metric_command.h"

namespace quern {
namespace {

// The mean over samples of the cosine between the two models' scores.
class Cosine : public Metric {
   public:
    void begin(const std::string&) override { sum_ = 0, count_ = 0, worst_.reset(); }
    void add(const MetricSample& sample) override {
        Difference difference;
        difference.add(sample.exact[sample.scored], sample.quantized[sample.scored]);
        const double cosine = difference.mismatch.empty() ? difference.cosine() : std::nan("");
        sum_ += cosine;
        ++count_;
        if (!worst_ || cosine < worst_->value) worst_ = {fmt::format("sample {}", sample.number), cosine};
    }
    MetricFigure finish(const std::optional<Score>&, const std::optional<Score>&) override {
        const double mean = count_ > 0 ? sum_ / static_cast<double>(count_) : std::nan("");
        return {.name = std::string(cosine_metric), .exact = 1, .quantized = mean, .worst = count_ > 1 ? worst_ : std::nullopt};
    }

   private:
    double sum_ = 0;
    uint64_t count_ = 0;
    std::optional<MetricFigure::Worst> worst_;
};

// Percent of the samples with a label; their scores are counted already.
class Top5 : public Metric {
   public:
    void begin(const std::string&) override {}
    void add(const MetricSample&) override {}
    MetricFigure finish(const std::optional<Score>& exact, const std::optional<Score>& quantized) override {
        return {.name = std::string(top5_metric), .exact = percent(exact), .quantized = percent(quantized), .worst = {}};
    }

   private:
    static double percent(const std::optional<Score>& score) {
        return score && score->scored > 0 ? 100.0 * static_cast<double>(score->top5) / static_cast<double>(score->scored) : std::nan("");
    }
};

// Outputs go to files as they are computed: those of the float model once, those of quantized models until their number is there.
class ByCommand : public Metric {
   public:
    explicit ByCommand(const MetricOptions& options)
        : command_(options.text, options.labels, options.note), name_(options.text), outputs_(options.outputs) {}

    void begin(const std::string& model) override {
        model_ = model;
        quantized_files_.emplace(outputs_);
        if (!exact_) exact_files_.emplace(outputs_);
    }
    void add(const MetricSample& sample) override {
        quantized_files_->write(sample.number, sample.row, sample.quantized);
        if (!exact_) exact_files_->write(sample.number, sample.row, sample.exact);
    }
    MetricFigure finish(const std::optional<Score>&, const std::optional<Score>&) override {
        if (!exact_) exact_ = command_.number("float", *exact_files_, &*exact_files_);
        const double number = command_.number(model_, *quantized_files_, &*exact_files_);
        quantized_files_.reset();
        return {.name = name_, .exact = *exact_, .quantized = number, .worst = {}};
    }

   private:
    MetricCommand command_;
    std::string name_, model_;
    std::vector<InputSpec> outputs_;
    std::optional<OutputFiles> exact_files_, quantized_files_;
    std::optional<double> exact_;
};

}  // namespace

std::string number_text(double number) { return std::isfinite(number) ? fmt::format("{:.6g}", number) : "not known"; }

std::string metric_text(const MetricFigure& figure) {
    std::string out = fmt::format("{} (float {})", number_text(figure.quantized), number_text(figure.exact));
    if (figure.worst) out += fmt::format("; {} has {}", figure.worst->name, number_text(figure.worst->value));
    return out;
}

std::unique_ptr<Metric> make_metric(const MetricOptions& options) {
    if (options.text == cosine_metric) return std::make_unique<Cosine>();
    if (options.text == top5_metric) return std::make_unique<Top5>();
    return std::make_unique<ByCommand>(options);
}

}  // namespace quern
