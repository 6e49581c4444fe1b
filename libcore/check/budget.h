// Budgets: the cheapest types with which a model keeps what it must. Sensitivities say which units to change (assignment.h), and a real
// evaluation says whether that was enough; if not, the next assignment aims higher. What cannot be reached is reported, never passed over.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "libcore/check/assignment.h"
#include "libcore/check/evaluate.h"
#include "libcore/check/sensitivity.h"
#include "libcore/quant/quantize.h"
#include "libcore/quant/report/coverage.h"

namespace quern {

// Quantizes the same model again and again.
class Quantizer {
   public:
    // The model as read, its shapes fixed; `ranges` and what the request points to must outlive this.
    Quantizer(const Model& model, const Ranges* ranges, QuantRequest request, ThreadPool& pool)
        : model_(model), ranges_(ranges), request_(std::move(request)), pool_(pool) {}

    const QuantRequest& request() const { return request_; }
    QuantWork work() const { return QuantWork(request_, model_.graph); }  // with its rules chosen
    Quantizer with_method(const Method& method) const;                    // for ranges
    Graph exact() const;                                                  // the float model as the quantizer sees it
    // By another type, or with these rules for nodes before all others; `report` may be nullptr.
    Graph quantized(const Scheme& type, QuantReport* report = nullptr) const;
    Graph with_rules(const std::map<std::string, Rule>& nodes, QuantReport* report = nullptr) const;

   private:
    Graph quantized(const QuantRequest& request, QuantReport* report) const;

    const Model& model_;
    const Ranges* ranges_;
    QuantRequest request_;
    ThreadPool& pool_;
};

struct BudgetOptions {
    Goal goal;
    std::optional<uint64_t> max_bytes;        // of all constants as they are stored
    std::optional<double> max_float_percent;  // of the multiply-accumulates, on float numbers
    std::vector<const Scheme*> types;  // that units may get, from the coarsest to the finest, request().scheme among them; nullptr: float
    std::function<void(const std::string&)> note = [](const std::string&) {};  // how it goes
    int threads = 1;
    std::function<void()> step = [] {};    // after each sample of an instrumented run
    std::optional<Evaluation> first = {};  // of the model with nothing changed, where it was evaluated
    uint64_t max_evaluations = 12;
    bool other_methods = true;  // for ranges: may a proposal have another than the request's?
};

// A unit whose type changes.
struct Change {
    std::string name, op;            // of the unit
    std::vector<std::string> nodes;  // that a rule can name
    const Scheme* type = nullptr;    // nullptr: float
};

struct BudgetOutcome {
    bool met = false;
    std::vector<Change> changes;        // none: what was asked for is met as it is
    std::map<std::string, Rule> nodes;  // the same as rules
    Evaluation evaluation;              // of the outcome, met or not
    uint64_t bytes = 0;                 // of its constants
    Coverage coverage;
    std::vector<std::string> missed;       // empty if met
    uint64_t evaluations = 0, passes = 0;  // over the samples: of real runs, and of instrumented ones
    double cost = 0;                       // bit operations of the assignment (assignment.h); 0: nothing is changed
    double first_db = 0;                   // the worst output before anything was changed
};

// What units may get instead of `base`: finer types that its recipe takes, float (nullptr) last, and coarser ones before it.
std::vector<const Scheme*> usual_types(const Scheme& base, const QuantWork& work);

BudgetOutcome meet_budget(const Quantizer& quantizer, const SampleSource& source, Evaluator& evaluator, const BudgetOptions& options);

// The rules as a file for `quantize --rules`; `method`: of ranges, nullptr for the one of the flags.
std::string rules_json(const Scheme& base, const std::map<std::string, Rule>& nodes, const Rules* others, const Method* method = nullptr);

}  // namespace quern
