// --metric, and what it must be.
#pragma once

#include <limits>
#include <string>

#include "libcore/check/evaluate.h"
#include "libcore/cli/tool.h"

namespace quern {

class MetricFlags {
   public:
    // `less` and `greater`: what is done where the metric is less or greater than X.
    void add(Options& add, std::string_view less, std::string_view greater);
    void add_drop(Options& add, std::string_view doc);  // --max-drop, of top-1 and of the metric
    bool given() const { return !metric_.empty(); }
    // Throws Exit::usage for what does not go together. `labels`: --labels.
    void check_usage(const std::string& labels) const;
    void add_to(Goal& goal) const;
    // Of the float model `exact`, for EvaluateOptions::metric; nothing where none is asked for.
    MakeMetric maker(const Graph& exact, const std::string& scored, const std::string& labels) const;

   private:
    static constexpr double unset = -1000, no_metric = std::numeric_limits<double>::infinity();
    std::string metric_;
    double drop_ = unset, drop_percent_ = unset, min_ = no_metric, max_ = no_metric;
};

}  // namespace quern
