// Budgets: the cheapest types with which a model keeps what it must. Sensitivities say which units to change (assignment.h), and a real
// evaluation says whether that was enough; if not, the next assignment aims higher. What cannot be reached is reported, never passed over.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/check/assignment.h"
#include "libcore/check/evaluate.h"
#include "libcore/check/quantizer.h"
#include "libcore/check/sensitivity.h"
#include "libcore/quant/report/coverage.h"

namespace quern {

struct BudgetOptions {
    Goal goal;
    std::optional<uint64_t> max_bytes;        // of all constants as they are stored
    std::optional<double> max_float_percent;  // of the multiply-accumulates, on float numbers
    std::vector<const Scheme*> types;  // that units may get, from the coarsest to the finest, request().scheme among them; nullptr: float
    std::function<void(const std::string&)> note = [](const std::string&) {};  // how it goes
    int threads = 1;
    std::function<void()> step = [] {};    // after each sample of an instrumented run
    std::optional<Evaluation> first = {};  // of the model with nothing changed, where it was evaluated
    double gain_db = 0;                    // of the quantizer's algorithms, of which estimates know nothing: by so much they may aim lower
    uint64_t max_evaluations = 12;
    // Bytes of the file with a graph, where they are known; nothing: constants alone count.
    std::function<std::optional<uint64_t>(const Graph&)> file_bytes = {};
    bool other_methods = true;  // for ranges: may a proposal have another than the request's?
};

// A unit whose type changes.
struct Change {
    std::string name, op;            // of the unit
    std::vector<std::string> nodes;  // that a rule can name
    const Scheme* type = nullptr;    // nullptr: float

    std::string_view type_name() const { return type ? type->name : "float"; }
};

struct BudgetOutcome {
    bool met = false;
    std::vector<Change> changes;  // of units whose type is neither the request's nor rules.global
    ChosenRules rules;            // for these, and for floats around them, which stay float; none: it is met as it is
    Evaluation evaluation;        // of the outcome, met or not
    uint64_t bytes = 0;           // of its constants
    Coverage coverage;
    std::vector<std::string> missed;       // empty if met
    uint64_t evaluations = 0, passes = 0;  // over the samples: of real runs, and of instrumented ones
    double cost = 0;                       // bit operations of the assignment (assignment.h); 0: nothing is changed
    double first_db = 0;                   // the worst output before anything was changed
};

// What units may get instead of `base`: finer types that its recipe takes, float (nullptr) last, and coarser ones before it.
std::vector<const Scheme*> usual_types(const Scheme& base, const QuantWork& work);

BudgetOutcome meet_budget(const Quantizer& quantizer, const SampleSource& source, Evaluator& evaluator, const BudgetOptions& options);

}  // namespace quern
