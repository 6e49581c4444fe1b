#include "libcore/check/proposal.h"

#include <algorithm>
#include <cmath>

#include "libcore/quantize/sample_feed.h"

namespace quern {
namespace {

class ProposalSearch {
   public:
    ProposalSearch(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact, const EvaluateOptions& how,
                   BudgetOptions options)
        : chosen_(quantizer),
          split_(split),
          evaluator_(evaluator),
          exact_(exact),
          how_(how),
          options_(std::move(options)),
          feed_(sample_feed(split.choosing())) {
        if (split.held_back()) held_back_.emplace(exact, *split.held_back(), how);
    }

    Proposal run() && {
        const uint64_t before = evaluator_.count();
        if (!options_.first) options_.first = evaluator_.evaluate(chosen_.with_rules({}));
        if (!options_.goal.is_met(*options_.first)) {
            choose_method();
            correct_biases();
        }
        // Over the rows held back there are three at most, as many rows as of one over the others.
        const uint64_t proofs = held_back_ ? 1 : 0, spent = evaluator_.count() - before + proofs;
        options_.max_evaluations -= std::min(options_.max_evaluations, spent);
        made_.outcome = meet_budget(chosen_, split_.choosing(), evaluator_, options_);
        if (held_back_) prove_outcome();
        made_.outcome.evaluations = evaluator_.count() - before + proofs;
        return std::move(made_);
    }

   private:
    void choose_method() {
        if (!options_.other_methods) return;
        made_.methods = try_methods(chosen_, evaluator_, options_.goal, *options_.first);
        if (!made_.methods.best) return;
        options_.first = std::move(made_.methods.evaluation);
        chosen_ = chosen_.with_method(*made_.methods.best);
    }

    // On the first type, and where it does not stay there on the next finer one, if that alone misses the goal: a bias counts for more in
    // its noise. Where it stays, units of other types have it, too.
    void correct_biases() {
        if (options_.goal.is_met(*options_.first)) return;
        made_.correction = corrected(chosen_, *options_.first);
        const Scheme* finer = next_finer();
        if (!made_.correction.chosen && made_.correction.gain && finer) {
            Evaluation first = std::move(made_.correction.evaluation);
            TriedCorrection tried = corrected_of(*finer);
            if (tried.chosen) made_.correction = std::move(tried), made_.correction.evaluation = std::move(first);
        }
        if (!made_.correction.chosen) return;
        options_.gain_db = made_.correction.gain->db();
        options_.first = std::move(made_.correction.evaluation);
        made_.correction.graph.reset();  // a model that the search has no use for
        chosen_ = chosen_.with_algorithms(correction_by(&feed_));
    }

    TriedCorrection corrected_of(const Scheme& finer) {
        const Quantizer other = chosen_.with_type(finer);
        const Evaluation first = evaluator_.evaluate(other.with_rules({}));
        return options_.goal.is_met(first) ? TriedCorrection() : corrected(other, first);
    }

    TriedCorrection corrected(const Quantizer& quantizer, const Evaluation& first) {
        return try_correction(quantizer, feed_, evaluator_, held_back_ ? &*held_back_ : nullptr, options_.goal, first);
    }

    // Than the request's type, where units may get it; nullptr: there is none.
    const Scheme* next_finer() const {
        const auto own = std::ranges::find(options_.types, chosen_.request().scheme);
        return own == options_.types.end() || !chosen_.may_have_other_type() ? nullptr : own[1];
    }

    void prove_outcome() {
        const bool nothing = made_.changes_nothing();
        const Graph graph = chosen_.with_rules(made_.outcome.rules);
        Evaluation proof = nothing ? Evaluator(exact_, split_.all(), how_).evaluate(graph) : held_back_->evaluate(graph);
        made_.unproved = options_.goal.missed(proof);
        (nothing ? made_.outcome.evaluation : made_.proof.emplace()) = std::move(proof);
    }

    Quantizer chosen_;
    const Split& split_;
    Evaluator& evaluator_;
    const Graph& exact_;
    const EvaluateOptions& how_;
    BudgetOptions options_;
    const SampleFeed feed_;
    std::optional<Evaluator> held_back_;
    Proposal made_;
};

}  // namespace

Proposal propose(const Quantizer& quantizer, const Split& split, Evaluator& evaluator, const Graph& exact, const EvaluateOptions& how,
                 BudgetOptions options) {
    return ProposalSearch(quantizer, split, evaluator, exact, how, std::move(options)).run();
}

std::string Proposal::worse_text() const {
    const std::optional<Proof>& tried = correction.proof;
    if (!tried || tried->holds()) return {};
    return fmt::format("bias-correction is worse on {} rows held back: {:.2f} dB (without {:.2f} dB)", tried->results, tried->gain.after_db,
                       tried->gain.before_db);
}

std::string Proposal::proof_text() const {
    if (changes_nothing()) return {};
    if (!proof)
        return fmt::format("all {} rows chose, none is left to prove it: {} or more are needed", outcome.evaluation.results,
                           Split::min_rows);
    std::string text = fmt::format("{} rows held back: ", proof->results);
    if (const std::string scores = scores_text(*proof); !scores.empty()) text += scores + ", ";
    if (proof->metric) text += brief_metric_text(*proof->metric) + ", ";
    if (!std::isfinite(proof->worst_db())) return text + "equal";
    const Difference::Spread spread = proof->worst()->difference.spread();
    return text + fmt::format("{:.2f} dB, {:.2f} to {:.2f} by row", proof->worst_db(), spread.lowest, spread.highest);
}

}  // namespace quern
