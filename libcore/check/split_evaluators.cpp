#include "libcore/check/split_evaluators.h"

namespace quern {

SplitEvaluators::SplitEvaluators(const Graph& exact, const Split& split, const EvaluateOptions& how, Evaluator& outputs, bool looks_before)
    : before_saturation_(exact),
      exact_(before_saturation_(exact)),
      outputs_(outputs),
      unsaturated_(looks_before && !before_saturation_.operators().empty() ? over(split.choosing(), how) : nullptr),
      held_back_(split.held_back() ? over(*split.held_back(), how) : nullptr) {}

std::unique_ptr<Evaluator> SplitEvaluators::over(const SampleSource& samples, EvaluateOptions how) const {
    how.as_read = [this, read = how.as_read](const Graph& graph) { return before_saturation_(read ? read(graph) : graph); };
    return std::make_unique<Evaluator>(exact_, samples, how);
}

}  // namespace quern
