#include "libcore/check/budget_problem.h"

#include <algorithm>
#include <set>

namespace quern {
namespace {

class Builder {
   public:
    Builder(const std::vector<MeasuredType>& types, size_t start)
        : types_(types),
          base_(types[start]),
          influence_(influence_of(base_.probe, base_.measured)),
          outputs_(base_.probe.outputs.size()),
          grid_(shared_grids(base_.probe, base_.measured)) {
        problem_.start = start;
        problem_.users.resize(grid_.empty() ? 0 : *std::ranges::max_element(grid_) + 1);
    }

    AssignmentProblem build() && {
        add_units();
        for (const MeasuredType& type : types_) add_type(type);
        scale_to_what_was_measured();
        return std::move(problem_);
    }

   private:
    void add_units() {
        const Probe& probe = base_.probe;
        std::vector<std::set<size_t>> users(problem_.users.size());
        for (size_t u = 0; u < probe.units.size(); ++u) {
            const ProbedUnit& unit = probe.units[u];
            AssignmentUnit made{.macs = unit.macs, .weights = unit.weights, .fixed = !unit.quantized};
            std::set<size_t> grids;
            for (const std::vector<size_t>* values : {&unit.in, &unit.out})
                for (const size_t v : *values)
                    if (probe.values[v].enc) grids.insert(grid_[v]);
            if (!made.fixed) made.grids.assign(grids.begin(), grids.end());
            for (const size_t grid : made.grids) users[grid].insert(u);
            problem_.units.push_back(std::move(made));
        }
        for (size_t grid = 0; grid < users.size(); ++grid) problem_.users[grid].assign(users[grid].begin(), users[grid].end());
        problem_.signal.assign(outputs_, 0);
        for (size_t v = 0; v < probe.values.size(); ++v)
            if (const auto o = probe.values[v].output) problem_.signal[*o] = base_.measured.values[v].signal;
    }

    void add_type(const MeasuredType& type) {
        AssignedType made;
        made.weights.assign(problem_.units.size(), OutputNoise(outputs_, 0));
        made.rounding.assign(problem_.users.size(), OutputNoise(outputs_, 0));
        if (type.scheme) {
            made.multiplies_floats = !is_scaled(type.scheme->weight);
            made.weight_bits = bits_of(type.scheme->weight);
            made.activation_bits = type.scheme->activation == DType::none ? 32 : bits_of(type.scheme->activation);
            add_noise(type, made);
        }
        problem_.types.push_back(std::move(made));
    }

    // By the names of values, which are the same whatever the type is.
    void add_noise(const MeasuredType& type, AssignedType& to) {
        std::map<std::string, const ValueSums*> by_name;
        for (size_t v = 0; v < type.probe.values.size(); ++v) by_name.emplace(type.probe.values[v].name, &type.measured.values[v]);
        for (size_t v = 0; v < base_.probe.values.size(); ++v) {
            const ProbedValue& value = base_.probe.values[v];
            const auto found = by_name.find(value.name);
            if (found == by_name.end()) continue;
            for (size_t o = 0; o < outputs_; ++o) {
                to.rounding[grid_[v]][o] += found->second->rounding * influence_[v][o];
                if (value.maker) to.weights[*value.maker][o] += found->second->weights * influence_[v][o];
            }
        }
    }

    // The estimate of a model that is all of one type is what was measured of it.
    void scale_to_what_was_measured() {
        for (size_t t = 0; t < types_.size(); ++t) {
            const OutputNoise estimated = problem_.noise(std::vector<size_t>(problem_.units.size(), t));
            for (size_t v = 0; v < types_[t].probe.values.size(); ++v) {
                const auto o = types_[t].probe.values[v].output;
                if (!o || *o >= outputs_ || estimated[*o] <= 0) continue;
                const double factor = types_[t].measured.values[v].noise / estimated[*o];
                for (std::vector<OutputNoise>* all : {&problem_.types[t].weights, &problem_.types[t].rounding})
                    for (OutputNoise& noise : *all) noise[*o] *= factor;
            }
        }
    }

    const std::vector<MeasuredType>& types_;
    const MeasuredType& base_;
    const Influence influence_;
    const size_t outputs_;
    const std::vector<size_t> grid_;  // by value
    AssignmentProblem problem_;
};

}  // namespace

AssignmentProblem assignment_problem(const std::vector<MeasuredType>& types, size_t start) { return Builder(types, start).build(); }

}  // namespace quern
