#include "libcore/cli/metric_flags.h"

#include "formats/samples/samples.h"
#include "libcore/runs/metric_command.h"

namespace quern {

void MetricFlags::add(Options& add, std::string_view less, std::string_view greater) {
    add.text(metric_, "--metric", "COMMAND",
             "the metric of the task: cosine, top-5, iou, iou-center, or a command for sh that finds the outputs in $QUERN_OUTPUTS and "
             "prints a number");
    add.real(min_, "--min-metric", "X", less, {-1e6, 1e6});
    add.real(max_, "--max-metric", "X", greater, {-1e6, 1e6});
    add.needs({"--min-metric", "--max-metric"}, "--metric");
}

void MetricFlags::add_drop(Options& add, std::string_view doc) {
    add.real_or_percent(drop_, drop_percent_, "--max-drop", "POINTS|N%", doc, {0, 100});
}

void MetricFlags::check_usage(const std::string& labels) const {
    if (drop_ != unset && labels.empty()) throw usage_error("--max-drop needs --labels");
    if (drop_percent_ != unset && metric_.empty()) throw usage_error("--max-drop {:g}% needs --metric", drop_percent_);
    if (metric_ == top5_metric && labels.empty()) throw usage_error("--metric {} needs --labels", metric_);
}

void MetricFlags::add_to(Goal& goal) const {
    if (drop_ != unset) goal.max_drop_points = drop_;
    if (drop_percent_ != unset) goal.max_metric_drop = drop_percent_;
    if (min_ != no_metric) goal.min_metric = min_;
    if (max_ != no_metric) goal.max_metric = max_;
}

MakeMetric MetricFlags::maker(const Graph& exact, const std::string& scored, const std::string& labels) const {
    if (metric_.empty()) return {};
    const MetricOptions options{
        .text = metric_, .scored = !scored.empty(), .labels = labels, .outputs = output_specs(exact), .note = [](const std::string& text) {
            notice(text);
        }};
    return [options] { return make_metric(options); };
}

}  // namespace quern
