// A model that searches quantize again and again: by other types, methods and rules than the request's.
#pragma once

#include <map>
#include <string>

#include "formats/format.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/quantize.h"

namespace quern {

// What a search adds to the rules of a request.
struct ChosenRules {
    const Scheme* global = nullptr;     // of all nodes that no rule names; nullptr: as the request says
    std::map<std::string, Rule> nodes;  // by name

    bool empty() const { return !global && nodes.empty(); }
    void add_to(Rules& rules) const;
};

// Quantizes the same model again and again.
class Quantizer {
   public:
    // The model as read, its shapes fixed; `ranges` and what the request points to must outlive this.
    Quantizer(const Model& model, const Ranges* ranges, QuantRequest request, ThreadPool& pool)
        : model_(&model), ranges_(ranges), request_(std::move(request)), pool_(&pool) {}

    const QuantRequest& request() const { return request_; }
    QuantWork work() const { return QuantWork(request_, model_->graph); }  // with its rules chosen
    Quantizer with_type(const Scheme& type) const;
    Quantizer with_method(const Method& method) const;             // for ranges
    Quantizer with_ranges(const Ranges& ranges) const;             // which must outlive it
    const Ranges* ranges() const { return ranges_; }               // nullptr: there are none
    Quantizer with_algorithms(AlgorithmOptions algorithms) const;  // whose samples must outlive it
    const AlgorithmOptions& algorithms() const { return algorithms_; }
    // The arithmetic of the file that is written: its runtime's; nullptr: what the model names.
    const Profile* profile() const;
    Graph exact() const;  // the float model as the quantizer sees it
    bool may_have_other_type() const { return !request_.rules || !request_.rules->global; }
    // By another type, or with rules before all others; `report` may be nullptr.
    Graph quantized(const Scheme& type, QuantReport* report = nullptr) const;
    Graph with_rules(const ChosenRules& chosen, QuantReport* report = nullptr) const;

   private:
    Graph quantized(const QuantRequest& request, QuantReport* report) const;

    const Model* model_;
    const Ranges* ranges_;
    QuantRequest request_;
    ThreadPool* pool_;
    AlgorithmOptions algorithms_ = {};
};

// The rules as a file for `quantize --rules`; `method`: of ranges, nullptr for the one of the flags.
// `corrected`: by bias-correction, which needs samples then.
std::string rules_json(const Scheme& base, const ChosenRules& chosen, const Rules* others, const Method* method = nullptr,
                       bool corrected = false);

}  // namespace quern
