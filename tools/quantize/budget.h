// quantize's budgets: what the quantized model must keep, over samples, and what it may take.
#pragma once

#include <optional>
#include <string>

#include "formats/format.h"
#include "libcore/check/evaluate.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/quant/quantize.h"

namespace quern {

class BudgetFlags {
   public:
    void add(Options& add);
    bool given() const;
    void check_usage(bool samples) const;  // throws Exit::usage for what does not go together

    struct Met {
        Rules rules;
        Evaluation evaluation;
    };
    // The rules with which the model keeps to the budget, those of `request` among them, and the evaluation with them; a notice says what
    // they change and what it gave. Throws Exit::no with what was reached if nothing does. `model`: as read, its shapes fixed.
    Met meet(const Model& model, const Ranges* ranges, const QuantRequest& request, const SampleFlags& samples, ThreadPool& pool,
             int threads) const;

   private:
    static constexpr double unset = -1000;
    std::string labels_, scored_;
    double drop_ = unset, sqnr_ = unset, agreement_ = unset, float_ = unset;
    int64_t label_offset_ = 0, bytes_ = 0;
};

}  // namespace quern
