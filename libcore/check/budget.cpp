#include "libcore/check/budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "libcore/base/text.h"
#include "libcore/check/budget_problem.h"

namespace quern {
namespace {

constexpr double step_db = 3;       // by which the aim rises where only a real evaluation can tell
constexpr uint64_t max_guided = 3;  // of a budget by estimates, where one type for all units is known to suffice
constexpr int max_refinements = 2;  // of them, after the goal was met
constexpr int max_give_backs = 6;   // and of those behind them
constexpr double surplus_db = 3;    // nothing is given back where less than this is beyond the goal
constexpr size_t few_units = 4;     // or where no more than these have changed, whose borders are few nodes

class Budget {
   public:
    Budget(const Quantizer& quantizer, const SampleSource& source, Evaluator& evaluator, const BudgetOptions& options)
        : quantizer_(quantizer),
          plain_(quantizer.with_algorithms({})),
          source_(source),
          evaluator_(evaluator),
          options_(options),
          exact_(quantizer.exact()),
          types_(options.types),
          start_(static_cast<size_t>(std::ranges::find(types_, quantizer.request().scheme) - types_.begin())) {
        if (options.max_bytes) return;
        types_.erase(types_.begin(), types_.begin() + static_cast<std::ptrdiff_t>(start_));  // nothing needs to become coarser
        start_ = 0;
    }

    BudgetOutcome meet() && {
        BudgetOutcome first = evaluated({}, start_, options_.first);
        first_db_ = first.first_db = first.evaluation.worst_db();
        if (first.met || types_.size() < 2) return counted(std::move(first));
        measure_types();
        problem_ = assignment_problem(measured_, start_);
        problem_.max_bytes = options_.max_bytes;
        extra_bytes_ = first.bytes - std::min(first.bytes, problem_.bytes(all_of(start_)));
        if (options_.max_float_percent) problem_.max_float_macs = *options_.max_float_percent / 100 * all_macs();
        return counted(search(std::move(first)));
    }

   private:
    struct Met {
        BudgetOutcome outcome;
        std::vector<size_t> types;
        size_t common;  // the type of all that no rule names
    };

    // Where one type would suffice for all units none gets a finer one, so that no more bytes are stored than with it. Where most units
    // need it all have it, as each border between two types is nodes. Where estimates mislead, that type is the answer, less what can be
    // given back; and where it is not enough either, units may get any type.
    BudgetOutcome search(BudgetOutcome best) {
        const std::optional<size_t> uniform = sufficient_type();
        if (uniform) {
            best = search_within(*uniform + 1, std::move(best), std::min(evaluations_ + max_guided, options_.max_evaluations - 1));
            if (evaluations_ >= options_.max_evaluations || (best.met && !is_better_as_one(best, *uniform))) return best;
            const size_t common = quantizer_.may_have_other_type() ? *uniform : start_;
            Met all{evaluated(all_of(*uniform), common), all_of(*uniform), common};
            if (best.met) return all.outcome.met && is_smaller(all.outcome, best) ? std::move(all.outcome) : best;
            if (all.outcome.met) return give_back(std::move(all));
            if (is_nearer(all.outcome, best)) best = std::move(all.outcome);
        }
        return search_within(types_.size(), std::move(best), options_.max_evaluations);
    }

    // Each border between two types is nodes in the file. Algorithms change no size.
    std::optional<uint64_t> file_bytes(const ChosenRules& rules) const {
        return options_.file_bytes ? options_.file_bytes(plain_.with_rules(rules)) : std::nullopt;
    }

    bool is_smaller(const BudgetOutcome& a, const BudgetOutcome& b) const {
        const auto first = file_bytes(a.rules), second = file_bytes(b.rules);
        return first && second ? *first <= *second : a.bytes <= b.bytes;
    }

    bool is_better_as_one(const BudgetOutcome& outcome, size_t type) const {
        if (outcome.changes.size() > few_units && quantizer_.may_have_other_type()) {
            const auto mixed = file_bytes(outcome.rules), one = file_bytes({.global = types_[type], .nodes = {}});
            if (mixed && one && *one < *mixed) return true;
        }
        const std::vector<ProbedUnit>& units = measured_[start_].probe.units;
        const auto quantized = static_cast<size_t>(std::ranges::count_if(units, &ProbedUnit::quantized));
        return 2 * outcome.changes.size() > quantized && problem_.bytes(all_of(type)) + extra_bytes_ <= outcome.bytes;
    }

    // The coarsest type that makes all units keep what is asked for, as it was measured; none where only evaluations can say so.
    std::optional<size_t> sufficient_type() const {
        const auto wanted = options_.goal.min_sqnr_db;
        if (!wanted || options_.max_bytes || options_.max_float_percent) return {};
        for (size_t t = start_ + 1; t < types_.size() && types_[t]; ++t)
            if (problem_.min_db(all_of(t)) >= *wanted - options_.gain_db) return t;
        return {};
    }

    std::vector<size_t> all_of(size_t type) const { return std::vector<size_t>(problem_.units.size(), type); }

    // Among the first `types`. Each outcome says by how much the next must aim higher; what holds is tried a little cheaper.
    BudgetOutcome search_within(size_t types, BudgetOutcome best, uint64_t last_evaluation) {
        AssignmentProblem problem = problem_;
        problem.types.resize(types);
        double aim = options_.goal.given() ? first_aim() : any_db;
        double failed = any_db;
        std::set<std::vector<size_t>> tried{all_of(start_)};
        while (evaluations_ < last_evaluation) {
            if (options_.max_bytes) problem.max_bytes = *options_.max_bytes - std::min(*options_.max_bytes, extra_bytes_);
            const Assignment assignment = assign_types(problem, aim);
            const bool fresh = tried.insert(assignment.types).second;
            if (fresh) {
                BudgetOutcome outcome = evaluated(assignment.types);
                if (outcome.met) return give_back(cheaper(problem, {std::move(outcome), assignment.types, start_}, failed, aim));
                failed = aim;
                if (bytes_over(outcome) > 0)
                    extra_bytes_ += bytes_over(outcome);
                else if (float_over(outcome) > 0)  // operators that a rule for a unit leaves float beside it
                    *problem.max_float_macs -= float_over(outcome) / 100 * all_macs();
                else
                    aim = next_aim(aim, outcome);
                if (is_nearer(outcome, best)) best = std::move(outcome);
            } else {
                aim += step_db;
            }
            if (!assignment.fits || (!fresh && !options_.goal.given())) break;  // nothing finer, or nothing smaller, is left
        }
        return best;
    }

    // The aim that is just enough lies between one that was not and one that is more.
    Met cheaper(const AssignmentProblem& problem, Met met, double failed, double enough) {
        for (int i = 0; i < max_refinements && failed > any_db && enough - failed > 1 && may_evaluate(); ++i) {
            const double aim = (failed + enough) / 2;
            const Assignment assignment = assign_types(problem, aim);
            BudgetOutcome outcome = evaluated(assignment.types);
            (outcome.met ? enough : failed) = aim;
            if (outcome.met && cost_of(assignment.types) < met.outcome.cost) met = {std::move(outcome), assignment.types, start_};
        }
        return met;
    }

    // Where noise does not add up as estimated, more has changed than was needed: units go back to the first type, then others to the next
    // coarser one.
    BudgetOutcome give_back(Met met) {
        std::vector<size_t> first = met.types;
        for (size_t& type : first) type = std::min(type, start_);
        met = give_back(std::move(met), first);
        std::vector<size_t> next = met.types;
        for (size_t& type : next)
            if (type > start_) --type;
        return give_back(std::move(met), next).outcome;
    }

    // As many as a bisection finds, those first that make least noise for what they cost.
    Met give_back(Met met, const std::vector<size_t>& coarser) {
        const auto wanted = options_.goal.min_sqnr_db;
        const std::vector<size_t> types = met.types, order = first_to_give_back(types, coarser);
        if (order.size() <= few_units || !wanted || met.outcome.evaluation.worst_db() < *wanted + surplus_db) return met;
        size_t given = 0, too_many = order.size() + 1;
        for (int i = 0; i < max_give_backs && too_many - given > 1 && may_evaluate(); ++i) {
            const size_t middle = (given + too_many) / 2;
            std::vector<size_t> fewer = types;
            for (size_t k = 0; k < middle; ++k) fewer[order[k]] = coarser[order[k]];
            BudgetOutcome outcome = evaluated(fewer, met.common);
            (outcome.met ? given : too_many) = middle;
            if (outcome.met) met = {std::move(outcome), std::move(fewer), met.common};
        }
        return met;
    }

    std::vector<size_t> first_to_give_back(const std::vector<size_t>& types, const std::vector<size_t>& coarser) const {
        std::vector<std::pair<double, size_t>> rates;
        const double now = relative_noise(types);
        for (size_t u = 0; u < types.size(); ++u) {
            const double saved = problem_.cost(u, types[u]) - problem_.cost(u, coarser[u]);
            if (saved <= 0) continue;
            std::vector<size_t> without = types;
            without[u] = coarser[u];
            rates.emplace_back((relative_noise(without) - now) / saved, u);
        }
        std::ranges::sort(rates);
        std::vector<size_t> order;
        order.reserve(rates.size());
        for (const auto& [rate, unit] : rates) order.push_back(unit);
        return order;
    }

    // Of the output that has most beside its signal.
    double relative_noise(const std::vector<size_t>& types) const {
        const OutputNoise noise = problem_.noise(types);
        double max = 0;
        for (size_t o = 0; o < noise.size(); ++o)
            if (problem_.signal[o] > 0) max = std::max(max, noise[o] / problem_.signal[o]);
        return max;
    }

    double cost_of(const std::vector<size_t>& types) const {
        double cost = 0;
        for (size_t u = 0; u < types.size(); ++u) cost += problem_.cost(u, types[u]);
        return cost;
    }

    double first_aim() const {
        const auto wanted = options_.goal.min_sqnr_db;
        return wanted ? *wanted - options_.gain_db : std::max(min_aim, estimated_db() + step_db);
    }

    double next_aim(double aim, const BudgetOutcome& outcome) const {
        const double reached = outcome.evaluation.worst_db();
        if (!options_.goal.min_sqnr_db || reached >= *options_.goal.min_sqnr_db) return aim + step_db;
        return aim + std::clamp(*options_.goal.min_sqnr_db - reached + 0.25, 0.5, 10.0);
    }

    uint64_t bytes_over(const BudgetOutcome& o) const {
        return options_.max_bytes && o.bytes > *options_.max_bytes ? o.bytes - *options_.max_bytes : 0;
    }
    double float_over(const BudgetOutcome& o) const {  // percent points
        return options_.max_float_percent ? std::max(0.0, float_macs_percent(o.coverage) - *options_.max_float_percent) : 0;
    }
    double all_macs() const {
        double macs = 0;
        for (const AssignmentUnit& unit : problem_.units) macs += unit.macs;
        return macs;
    }

    // Sizes first, then what is left to be missed.
    bool is_nearer(const BudgetOutcome& a, const BudgetOutcome& b) const {
        if (bytes_over(a) != bytes_over(b)) return bytes_over(a) < bytes_over(b);
        if (float_over(a) != float_over(b)) return float_over(a) < float_over(b);
        if (options_.goal.max_drop_points && a.evaluation.drop_points() != b.evaluation.drop_points())
            return a.evaluation.drop_points() < b.evaluation.drop_points();
        if (options_.goal.min_agreement && a.evaluation.agreeing != b.evaluation.agreeing)
            return a.evaluation.agreeing > b.evaluation.agreeing;
        const double a_lacks = options_.goal.metric_missed_by(a.evaluation), b_lacks = options_.goal.metric_missed_by(b.evaluation);
        if (a_lacks != b_lacks) return a_lacks < b_lacks;
        return a.evaluation.worst_db() > b.evaluation.worst_db();
    }

    double estimated_db() const { return problem_.min_db(all_of(start_)); }

    void measure_types() {
        for (const Scheme* type : types_) {
            MeasuredType made{.scheme = type, .probe = {}, .measured = {}};
            if (type) {
                options_.note(fmt::format("measuring {}", type->name));
                made.probe = make_probe(exact_, plain_.quantized(*type));
                made.measured = measure(made.probe, source_, options_.threads, options_.step);
                ++passes_;
            }
            measured_.push_back(std::move(made));
        }
    }

    bool may_evaluate() const { return evaluations_ < options_.max_evaluations; }

    BudgetOutcome evaluated(const std::vector<size_t>& types) { return evaluated(types, start_); }

    // Of the types of units, none: of those of the request; evaluated but where that was done. `common`: the type of all that no rule
    // names.
    BudgetOutcome evaluated(const std::vector<size_t>& types, size_t common, const std::optional<Evaluation>& known = {}) {
        BudgetOutcome outcome;
        if (common != start_) outcome.rules.global = types_[common];
        if (!types.empty()) add_changes(types, common, outcome), outcome.cost = cost_of(types);
        const Graph graph = quantizer_.with_rules(outcome.rules);
        outcome.first_db = first_db_;
        outcome.evaluation = known ? *known : evaluator_.evaluate(graph);
        evaluations_ += known ? 0 : 1;
        outcome.bytes = stored_bytes(graph);
        outcome.coverage = coverage_of(graph);
        outcome.missed = options_.goal.missed(outcome.evaluation);
        if (float_over(outcome) > 0)
            outcome.missed.push_back(fmt::format("{:.2f} % of the multiply-accumulates stay float, wanted at most {:g} %",
                                                 float_macs_percent(outcome.coverage), *options_.max_float_percent));
        if (bytes_over(outcome) > 0)
            outcome.missed.push_back(fmt::format("constants take {} bytes, wanted at most {}", outcome.bytes, *options_.max_bytes));
        outcome.met = outcome.missed.empty();
        const std::string all = outcome.rules.global ? fmt::format("all {}, ", outcome.rules.global->name) : "";
        options_.note(fmt::format("evaluation {}: {}{} units changed, {:.2f} dB{}", evaluations_, all, outcome.changes.size(),
                                  outcome.evaluation.worst_db(), outcome.met ? "" : ": " + join(outcome.missed, ", ")));
        return outcome;
    }

    void add_changes(const std::vector<size_t>& types, size_t common, BudgetOutcome& to) const {
        const Probe& probe = measured_[start_].probe;
        for (size_t u = 0; u < types.size(); ++u) {
            if (types[u] == common || !probe.units[u].quantized) continue;
            Change change{.name = probe.units[u].name, .op = probe.units[u].op, .nodes = nameable(u), .type = types_[types[u]]};
            if (change.nodes.empty()) continue;
            for (const std::string& node : change.nodes) to.rules.nodes[node] = Rule{.scheme = change.type, .method = nullptr};
            to.changes.push_back(std::move(change));
        }
        if (common == start_) keep_floats(types, to);
    }

    // Units that are float beside those of the first type, of which estimates say so, would be of that one beside units of others.
    void keep_floats(const std::vector<size_t>& types, BudgetOutcome& to) const {
        const Probe& probe = measured_[start_].probe;
        const auto is_changed = [&](size_t u) { return probe.units[u].quantized && types[u] != start_; };
        for (const ProbedValue& value : probe.values) {
            std::vector<size_t> around = value.readers;
            if (value.maker) around.push_back(*value.maker);
            if (std::ranges::none_of(around, is_changed)) continue;
            for (const size_t u : around)
                if (!probe.units[u].quantized)
                    for (const std::string& node : nameable(u)) to.rules.nodes[node] = Rule{.scheme = nullptr, .method = nullptr};
        }
    }

    std::vector<std::string> nameable(size_t unit) const {
        std::vector<std::string> names = measured_[start_].probe.units[unit].nodes;
        std::erase_if(names, [&](const std::string& node) { return exact_.find_node(node) == NodeId::none; });
        return names;
    }

    BudgetOutcome counted(BudgetOutcome outcome) const {
        outcome.evaluations = evaluations_;
        outcome.passes = passes_;
        return outcome;
    }

    static constexpr double min_aim = 15, any_db = -1000;

    const Quantizer& quantizer_;
    const Quantizer plain_;  // without algorithms, which give layers biases that the float model has not
    const SampleSource& source_;
    Evaluator& evaluator_;
    const BudgetOptions& options_;
    const Graph exact_;
    std::vector<const Scheme*> types_;
    size_t start_;
    std::vector<MeasuredType> measured_;
    AssignmentProblem problem_;
    double first_db_ = 0;
    uint64_t extra_bytes_ = 0;  // beside what is estimated: scales, wide biases
    uint64_t evaluations_ = 0, passes_ = 0;
};

}  // namespace

// Is the model for TFLite, whose runtime has no products of 16-bit weights? Also where the type goes by other rules.
static bool for_tflite(const Scheme& base, const QuantWork& work) {
    const Recipe* tflite = &recipe_named("tflite");
    return &recipe_of(base, work) == tflite || (work.usual == tflite && !work.for_products_runtime);
}

std::vector<const Scheme*> usual_types(const Scheme& base, const QuantWork& work) {
    static constexpr std::array<std::string_view, 3> full{"w4a16", "w8a16", "i16-sym"}, weights{"wo-i4", "wo-i8-sym", "f16"};
    static constexpr std::array<std::string_view, 2> tflite{"w4a8", "w8a16"};  // whose runtime multiplies 4 bits by 8 alone
    const std::span<const std::string_view> fixed = for_tflite(base, work) ? std::span<const std::string_view>(tflite) : full;
    std::vector<const Scheme*> types{&base};
    const auto rank = [](const Scheme& s) {
        return std::pair(bits_of(s.weight), s.activation == DType::none ? 32 : bits_of(s.activation));
    };
    const Recipe& recipe = recipe_of(base, work);
    for (const std::string_view name : base.activations == Scheme::Activations::fixed ? fixed : weights) {
        const Scheme& other = scheme_named(type_by(recipe, name));
        if (rank(other) == rank(base)) continue;
        if (recipe.unsigned_only && other.full() && int_range(other.activation).min < 0) continue;
        const auto at = std::ranges::find_if(types, [&](const Scheme* s) { return rank(*s) > rank(other); });
        types.insert(at, &other);
    }
    types.push_back(nullptr);
    return types;
}

BudgetOutcome meet_budget(const Quantizer& quantizer, const SampleSource& source, Evaluator& evaluator, const BudgetOptions& options) {
    return Budget(quantizer, source, evaluator, options).meet();
}

}  // namespace quern
