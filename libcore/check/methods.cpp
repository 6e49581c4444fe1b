#include "libcore/check/methods.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "libcore/check/split_evaluators.h"
#include "libcore/quantize/sample_feed.h"

namespace quern {
namespace {

constexpr double min_gain_db = 1, min_gain_unseen_db = 0.25;
constexpr std::string_view safest = "min-max";
// Those that are best of all on some net or other. Each costs an evaluation.
constexpr std::array<std::string_view, 3> candidates{safest, "sqnr", "optimal"};

std::optional<Evaluation> tried(const Quantizer& quantizer, Evaluator& evaluator, const Method& method) {
    try {
        return evaluator.evaluate(quantizer.with_method(method).with_rules({}));
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return std::nullopt;  // ranges without histograms, or without runs
    }
}

}  // namespace

TriedMethods try_methods(const Quantizer& quantizer, Evaluator& evaluator, const Goal& goal, const Evaluation& first) {
    TriedMethods found;
    const QuantRequest& request = quantizer.request();
    if (!request.scheme->full()) return found;
    TriedMethod best{nullptr, first.worst_db(), goal.is_met(first)};
    for (const std::string_view name : candidates) {
        const Method& method = method_named(name);
        if (&method == request.search.method) continue;
        auto evaluation = tried(quantizer, evaluator, method);
        if (!evaluation) continue;
        const TriedMethod made{&method, evaluation->worst_db(), goal.is_met(*evaluation)};
        found.all.push_back(made);
        const double wanted_gain_db = !goal.given() && name == safest ? 0 : min_gain_db;  // what clips nothing needs no reason
        if (std::pair(made.met, made.worst_db) <= std::pair(best.met, std::max(best.worst_db, first.worst_db() + wanted_gain_db))) continue;
        best = made;
        found.evaluation = std::move(*evaluation);
    }
    found.best = best.method;
    return found;
}

namespace {

class ChoiceBySamples {
   public:
    ChoiceBySamples(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact, const EvaluateOptions& how)
        : quantizer_(quantizer),
          split_(split),
          rows_(exact, split, how, evaluator, chooses()),
          unseen_(ranges_of_others()),
          evaluator_(rows_.choosing()) {}

    ChosenMethod run(bool other_methods) && {
        made_.evaluation = evaluator_.evaluate(quantizer_.with_rules({}));
        made_.first_db = made_.evaluation.worst_db();
        if (other_methods) choose_method();
        correct_biases();
        made_.judged_db = made_.evaluation.worst_db();
        made_.judged_before = rows_.judged_before();
        if (!made_.judged_before.empty())
            made_.evaluation =
                rows_.of_outputs(made_.correction.chosen ? *made_.correction.graph : with(chosen_method()), made_.evaluation);
        return std::move(made_);
    }

   private:
    // What proves is to know no number of the rows held back. In 16 bits alone, of which methods differ by how far they reach beyond what
    // was seen; where the ranges are of other samples there is nothing to leave out.
    std::optional<Ranges> ranges_of_others() const {
        const Ranges* ranges = quantizer_.ranges();
        const SampleSource* held_back = split_.held_back();
        if (!ranges || !held_back || !chooses() || bits_of(quantizer_.request().scheme->activation) <= 8) return std::nullopt;
        if (ranges->samples != split_.all().count()) return std::nullopt;
        std::set<uint64_t> rows;
        for (uint64_t i = 0; i < held_back->count(); ++i) rows.insert(held_back->index(i));
        return ranges->with_extremes_without(rows);
    }

    Graph for_proof(const Method* method) const {
        return unseen_ ? quantizer_.with_ranges(*unseen_).with_method(*method).with_rules({}) : with(method);
    }

    bool chooses() const { return quantizer_.request().scheme->full(); }  // there are ranges and biases

    // The best of all, where rows held back agree; in 8 bits min-max, which clips nothing, where it is better on all rows. Of 16 bits,
    // whose headroom is for rows that no range has seen, those that made the ranges say nothing.
    void choose_method() {
        made_.tried = try_methods(quantizer_, evaluator_, {}, made_.evaluation);
        const Method* chosen = chosen_method();
        if (const Method* best = made_.tried.best; best && is_proven(chosen, best)) chosen = best;
        const auto plain = std::ranges::find(made_.tried.all, safest, [](const TriedMethod& tried) { return tried.method->name; });
        if (held_back() && plain != made_.tried.all.end() && plain->method != chosen &&
            bits_of(quantizer_.request().scheme->activation) <= 8 && is_better(*plain, chosen))
            chosen = plain->method;
        take(chosen);
    }

    // By the mean of what it gains on the rows that choose and on the others, by their number.
    bool is_better(const TriedMethod& plain, const Method* chosen) {
        const Proof proof = *proof_of(chosen, plain.method);
        const double chosen_db = chosen == made_.tried.best ? made_.tried.evaluation.worst_db() : made_.first_db;
        const auto rows = static_cast<double>(made_.evaluation.results), others = static_cast<double>(proof.results);
        return (plain.worst_db - chosen_db) * rows + proof.gain.db() * others > 0;
    }

    std::optional<Proof> proof_of(const Method* before, const Method* after) {
        const auto known = std::ranges::find_if(
            made_.proofs, [&](const ProvenMethod& proven) { return proven.before == before && proven.after == after; });
        if (known != made_.proofs.end()) return known->proof;
        const std::optional<Proof> proof = prove(held_back(), for_proof(before), for_proof(after));
        if (proof) made_.proofs.push_back({before, after, *proof});
        return proof;
    }

    // Few rows tell little of what reaches beyond all that was seen: the headroom of 16 bits is given up for a gain alone.
    bool is_proven(const Method* before, const Method* after) {
        const std::optional<Proof> proof = proof_of(before, after);
        return !proof || (unseen_ ? proof->gain.db() >= min_gain_unseen_db : proof->holds());
    }

    const Method* chosen_method() const { return made_.method ? made_.method : quantizer_.request().search.method; }
    Graph with(const Method* method) const { return quantizer_.with_method(*method).with_rules({}); }

    void take(const Method* method) {
        if (method == quantizer_.request().search.method) return;
        made_.method = method;
        made_.evaluation = method == made_.tried.best ? made_.tried.evaluation : evaluator_.evaluate(with(method));
    }

    void correct_biases() {
        const Quantizer chosen = made_.method ? quantizer_.with_method(*made_.method) : quantizer_;
        const SampleFeed feed = sample_feed(split_.choosing());
        made_.correction = try_correction(chosen, feed, evaluator_, held_back(), {}, made_.evaluation);
        if (made_.correction.chosen) made_.evaluation = made_.correction.evaluation;
    }

    Evaluator* held_back() { return rows_.held_back(); }

    const Quantizer& quantizer_;
    const Split& split_;
    SplitEvaluators rows_;
    const std::optional<Ranges> unseen_;  // by the rows that choose; none: those of all rows do
    Evaluator& evaluator_;                // over the rows that choose, of what chooses
    ChosenMethod made_;
};

}  // namespace

ChosenMethod choose_method(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact,
                           const EvaluateOptions& how, bool other_methods) {
    return ChoiceBySamples(quantizer, split, evaluator, exact, how).run(other_methods);
}

}  // namespace quern
