// What quantize does with samples: budgets, which are what the quantized model must keep and what it may take, and the method for ranges.
#pragma once

#include <optional>
#include <string>

#include "libcore/check/budget.h"
#include "libcore/cli/metric_flags.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/quantize/quantize_file.h"

namespace quern {

class BudgetFlags {
   public:
    void add(Options& add);
    bool given() const;
    void check_usage(bool samples) const;  // throws Exit::usage for what does not go together

    struct Met {
        ChosenBySamples chosen;
        Evaluation evaluation;
    };
    struct Bench {
        const Model& model;  // as read, its shapes fixed
        const Ranges* ranges;
        const QuantRequest& request;
        const AlgorithmOptions& algorithms;  // that the user named
        const SampleFlags& samples;
        ThreadPool& pool;
        int threads;
        bool method_named;        // by the user, who gets no other then
        std::string_view format;  // of the file that is written, and how
        const WriteOptions& write;
    };
    // The rules with which the model keeps to the budget, those of the request among them, the method for ranges, and the evaluation with
    // them; a notice says what they change and what it gave. Throws Exit::no with what was reached if nothing does. Without a budget
    // samples choose the method, where ranges have one and the user named none, or which of the algorithms stay, and measure the outputs.
    Met meet(const Bench& bench) const;

   private:
    EvaluateOptions evaluate_options(const Graph& exact, const std::optional<Labels>& labels, int threads) const;
    Goal goal() const;
    BudgetOptions budget_options(const Bench& bench, const Quantizer& quantizer) const;

    static constexpr double unset = -1000;
    std::string labels_, scored_;
    MetricFlags metric_;
    double sqnr_ = unset, agreement_ = unset, float_ = unset;
    int64_t label_offset_ = 0, bytes_ = 0;
};

}  // namespace quern
