#include "libcore/check/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

struct Step {
    std::vector<size_t> units;
    size_t type = 0;
};

class Solver {
   public:
    Solver(const AssignmentProblem& problem, double min_db) : problem_(problem), types_(problem.units.size(), problem.start) {
        const double ratio = portable::pow(10.0, -min_db / 10);
        for (const double signal : problem.signal) limits_.push_back(signal * ratio);
        noise_ = problem.noise(types_);
    }

    Assignment solve() && {
        while (too_big() && shrink()) {
        }
        while (excess() > 0 && refine()) {
        }
        take_back();
        return {types_, excess() <= 0 && problem_.within_limits(types_)};
    }

   private:
    bool too_big() const { return problem_.max_bytes && problem_.bytes(types_) > *problem_.max_bytes; }

    // What is too much, in units of what each output may have.
    double excess(const OutputNoise& noise) const {
        double sum = 0;
        for (size_t o = 0; o < noise.size(); ++o)
            if (limits_[o] > 0) sum += std::max(0.0, noise[o] / limits_[o] - 1);
        return sum;
    }
    double excess() const { return excess(noise_); }

    // The coarsest that a unit around the grid has makes its noise.
    const OutputNoise* rounding(size_t grid, const std::vector<size_t>& types) const {
        const OutputNoise* max = nullptr;
        for (const size_t unit : problem_.users[grid]) {
            const OutputNoise& own = problem_.types[types[unit]].rounding[grid];
            if (!max || sum(own) > sum(*max)) max = &own;
        }
        return max;
    }
    static double sum(const OutputNoise& noise) { return std::accumulate(noise.begin(), noise.end(), 0.0); }

    OutputNoise noise_after(const Step& step) {
        OutputNoise noise = noise_;
        std::set<size_t> grids;
        for (const size_t unit : step.units) grids.insert(problem_.units[unit].grids.begin(), problem_.units[unit].grids.end());
        for (const double sign : {-1.0, 1.0}) {
            std::vector<size_t> before;
            for (const size_t unit : step.units) {
                add(noise, problem_.types[sign < 0 ? types_[unit] : step.type].weights[unit], sign);
                if (sign > 0) before.push_back(std::exchange(types_[unit], step.type));
            }
            for (const size_t grid : grids)
                if (const OutputNoise* own = rounding(grid, types_)) add(noise, *own, sign);
            for (size_t i = 0; i < before.size(); ++i) types_[step.units[i]] = before[i];
        }
        for (double& energy : noise) energy = std::max(0.0, energy);
        return noise;
    }
    static void add(OutputNoise& noise, const OutputNoise& more, double sign) {
        for (size_t o = 0; o < noise.size(); ++o) noise[o] += sign * more[o];
    }

    double cost_of(const Step& step) const {
        double cost = 0;
        for (const size_t unit : step.units) cost += problem_.cost(unit, step.type) - problem_.cost(unit, types_[unit]);
        return cost;
    }
    void take(const Step& step) {
        for (const size_t unit : step.units) types_[unit] = step.type;
        noise_ = problem_.noise(types_);
    }
    bool stays_within_limits(const Step& step) const {
        if (!problem_.max_bytes && !problem_.max_float_macs) return true;
        std::vector<size_t> types = types_;
        for (const size_t unit : step.units) types[unit] = step.type;
        return problem_.within_limits(types);
    }

    template <class Fn>
    void each_finer(const Fn& fn) const {
        for (size_t type = problem_.start; type < problem_.types.size(); ++type) {
            for (size_t unit = 0; unit < types_.size(); ++unit)
                if (!problem_.units[unit].fixed && types_[unit] < type) fn(Step{{unit}, type});
            for (const std::vector<size_t>& users : problem_.users) {
                Step step{{}, type};
                for (const size_t unit : users)
                    if (types_[unit] < type) step.units.push_back(unit);
                if (step.units.size() > 1) fn(step);
            }
        }
    }

    bool refine() {
        std::optional<Step> best;
        double max = 0;
        each_finer([&](const Step& step) {
            const double gain = excess() - excess(noise_after(step));
            if (gain <= 1e-9 * excess()) return;
            const double rate = gain / std::max(1.0, cost_of(step));
            if (rate > max && stays_within_limits(step)) max = rate, best = step;
        });
        if (best) take(*best);
        return best.has_value();
    }

    // The unit whose coarser type costs least accuracy for the bytes that it saves.
    bool shrink() {
        std::optional<Step> best;
        double min = std::numeric_limits<double>::infinity();
        for (size_t unit = 0; unit < types_.size(); ++unit)
            for (size_t type = 0; type < types_[unit] && !problem_.units[unit].fixed; ++type) {
                const int bits = problem_.types[types_[unit]].weight_bits - problem_.types[type].weight_bits;
                if (bits <= 0 || problem_.units[unit].weights == 0) continue;
                const Step step{{unit}, type};
                const double loss = relative(noise_after(step)) - relative(noise_);
                const double rate = std::max(0.0, loss) / (static_cast<double>(problem_.units[unit].weights) * bits);
                if (rate < min) min = rate, best = step;
            }
        if (best) take(*best);
        return best.has_value();
    }
    double relative(const OutputNoise& noise) const {
        double all = 0;
        for (size_t o = 0; o < noise.size(); ++o)
            if (problem_.signal[o] > 0) all += noise[o] / problem_.signal[o];
        return all;
    }

    // Back to a cheaper type where the limits hold all the same, the dearest first.
    void take_back() {
        if (excess() > 0) return;
        std::vector<size_t> order(types_.size());
        std::iota(order.begin(), order.end(), size_t{0});
        const auto added = [&](size_t unit) { return problem_.cost(unit, types_[unit]) - problem_.cost(unit, problem_.start); };
        std::ranges::stable_sort(order, [&](size_t a, size_t b) { return added(a) > added(b); });
        for (const size_t unit : order)
            for (size_t type = problem_.start; type < types_[unit]; ++type) {
                const Step step{{unit}, type};
                if (problem_.cost(unit, type) >= problem_.cost(unit, types_[unit]) || excess(noise_after(step)) > 0) continue;
                take(step);
                break;
            }
    }

    const AssignmentProblem& problem_;
    std::vector<size_t> types_;
    OutputNoise limits_, noise_;
};

}  // namespace

OutputNoise AssignmentProblem::noise(const std::vector<size_t>& of) const {
    OutputNoise all(signal.size(), 0);
    const auto add = [&](const OutputNoise& more) {
        for (size_t o = 0; o < all.size(); ++o) all[o] += more[o];
    };
    for (size_t unit = 0; unit < units.size(); ++unit)
        if (!units[unit].fixed) add(types[of[unit]].weights[unit]);
    for (size_t grid = 0; grid < users.size(); ++grid) {
        const OutputNoise* max = nullptr;
        double energy = -1;
        for (const size_t unit : users[grid]) {
            const OutputNoise& own = types[of[unit]].rounding[grid];
            const double sum = std::accumulate(own.begin(), own.end(), 0.0);
            if (sum > energy) energy = sum, max = &own;
        }
        if (max) add(*max);
    }
    return all;
}

double AssignmentProblem::min_db(const std::vector<size_t>& of) const {
    double min = std::numeric_limits<double>::infinity();
    const OutputNoise all = noise(of);
    for (size_t o = 0; o < all.size(); ++o)
        if (all[o] > 0 && signal[o] > 0) min = std::min(min, 10 * portable::log10(signal[o] / all[o]));
    return min;
}

double AssignmentProblem::cost(size_t unit, size_t type) const {
    if (units[unit].fixed) return 0;
    const AssignedType& t = types[type];
    const int other = units[unit].weights > 0 ? t.weight_bits : t.activation_bits;
    return std::max(1.0, units[unit].macs) * t.activation_bits * other;
}

uint64_t AssignmentProblem::bytes(const std::vector<size_t>& of) const {
    uint64_t bits = 0;
    for (size_t unit = 0; unit < units.size(); ++unit)
        bits += units[unit].weights * static_cast<uint64_t>(units[unit].fixed ? 32 : types[of[unit]].weight_bits);
    return (bits + 7) / 8;
}

double AssignmentProblem::float_macs(const std::vector<size_t>& of) const {
    double macs = 0;
    for (size_t unit = 0; unit < units.size(); ++unit)
        if (units[unit].fixed || types[of[unit]].multiplies_floats) macs += units[unit].macs;
    return macs;
}

bool AssignmentProblem::within_limits(const std::vector<size_t>& of) const {
    return (!max_bytes || bytes(of) <= *max_bytes) && (!max_float_macs || float_macs(of) <= *max_float_macs);
}

Assignment assign_types(const AssignmentProblem& problem, double min_db) { return Solver(problem, min_db).solve(); }

}  // namespace quern
