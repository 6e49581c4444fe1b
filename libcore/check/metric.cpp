#include "libcore/check/metric.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/runs/compare.h"
#include "libcore/runs/metric_command.h"

namespace quern {
namespace {

// The mean over samples of how alike the two models' outputs are, 1 where they are equal.
class Likeness : public Metric {
   public:
    explicit Likeness(std::string_view name) : name_(name) {}
    void begin(const std::string&) override { sum_ = 0, count_ = 0, worst_.reset(); }
    void add(const MetricSample& sample) override {
        const double likeness = likeness_of(sample);
        sum_ += likeness;
        ++count_;
        if (!worst_ || likeness < worst_->value) worst_ = {fmt::format("sample {}", sample.number), likeness};
    }
    MetricFigure finish(const std::optional<Score>&, const std::optional<Score>&) override {
        const double mean = count_ > 0 ? sum_ / static_cast<double>(count_) : std::nan("");
        return {.name = name_, .exact = 1, .quantized = mean, .worst = count_ > 1 ? worst_ : std::nullopt};
    }

   protected:
    virtual double likeness_of(const MetricSample& sample) = 0;
    std::string name_;

   private:
    double sum_ = 0;
    uint64_t count_ = 0;
    std::optional<MetricFigure::Worst> worst_;
};

// Between the two models' scores.
class Cosine : public Likeness {
   public:
    Cosine() : Likeness(cosine_metric) {}

   private:
    double likeness_of(const MetricSample& sample) override {
        Difference difference;
        difference.add(sample.exact[sample.scored], sample.quantized[sample.scored]);
        return difference.mismatch.empty() ? difference.cosine() : std::nan("");
    }
};

struct Box {
    double x0, y0, x1, y1;

    double area() const { return std::max(0.0, x1 - x0) * std::max(0.0, y1 - y0); }
    bool operator==(const Box&) const = default;
};

// Of boxes without an area: 1 where they are equal.
double intersection_over_union(const Box& a, const Box& b) {
    const Box common{std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
    const double all = a.area() + b.area() - common.area();
    if (all > 0) return common.area() / all;
    return a == b ? 1 : 0;
}

// Between boxes of the same place in an output [.., 4], the mean over them: two corners each, or centre, width and height.
class Iou : public Likeness {
   public:
    Iou(std::string_view name, bool scored) : Likeness(name), centered_(name == iou_center_metric), scored_(scored) {}

   private:
    static bool holds_boxes(const Tensor& tensor) {
        return is_float(tensor.dtype) && tensor.dims.size() > 1 && tensor.dims.back() == 4 && count_of(tensor.dims) > 0;
    }

    // The output that is named, else the first that holds boxes.
    size_t output_of(const MetricSample& sample) const {
        const auto fits = [&](size_t i) { return holds_boxes(sample.exact[i]) && holds_boxes(sample.quantized[i]); };
        if (scored_ && fits(sample.scored)) return sample.scored;
        for (size_t i = 0; !scored_ && i < sample.exact.size(); ++i)
            if (fits(i)) return i;
        throw usage_error("--metric {}: {} [.., 4] boxes", name_, scored_ ? "the output of --score-output is no" : "no output is")
            .with_hint("--score-output names the output");
    }

    Box box_at(const std::vector<float>& numbers, size_t at) const {
        const auto number = [&](size_t i) { return static_cast<double>(numbers[at + i]); };
        if (!centered_) return {number(0), number(1), number(2), number(3)};
        const double half_width = number(2) / 2, half_height = number(3) / 2;
        return {number(0) - half_width, number(1) - half_height, number(0) + half_width, number(1) + half_height};
    }

    double likeness_of(const MetricSample& sample) override {
        const size_t output = output_of(sample);
        const std::vector<float> exact = to_floats(sample.exact[output]), quantized = to_floats(sample.quantized[output]);
        if (exact.size() != quantized.size()) return std::nan("");
        double sum = 0;
        for (size_t at = 0; at < exact.size(); at += 4) sum += intersection_over_union(box_at(exact, at), box_at(quantized, at));
        return 4 * sum / static_cast<double>(exact.size());
    }

    bool centered_, scored_;
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

double MetricFigure::drop_percent() const { return exact != 0 ? 100 * (exact - quantized) / std::abs(exact) : std::nan(""); }

std::string number_text(double number) { return std::isfinite(number) ? fmt::format("{:.6g}", number) : "not known"; }

std::string brief_metric_text(const MetricFigure& figure) {
    return fmt::format("metric {} (float {})", number_text(figure.quantized), number_text(figure.exact));
}

std::string metric_text(const MetricFigure& figure) {
    std::string out = fmt::format("{} (float {})", number_text(figure.quantized), number_text(figure.exact));
    if (figure.worst) out += fmt::format("; {} has {}", figure.worst->name, number_text(figure.worst->value));
    return out;
}

std::unique_ptr<Metric> make_metric(const MetricOptions& options) {
    if (options.text == cosine_metric) return std::make_unique<Cosine>();
    if (options.text == iou_metric || options.text == iou_center_metric) return std::make_unique<Iou>(options.text, options.scored);
    if (options.text == top5_metric) return std::make_unique<Top5>();
    return std::make_unique<ByCommand>(options);
}

}  // namespace quern
