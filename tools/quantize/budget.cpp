#include "tools/quantize/budget.h"

#include <cmath>
#include <map>
#include <memory>

#include "formats/dry_run.h"
#include "libcore/base/text.h"
#include "libcore/check/compared_algorithms.h"
#include "libcore/check/proposal.h"
#include "libcore/cli/named_files.h"
#include "libcore/quantize/sample_feed.h"
#include "tools/quantize/algorithms.h"

namespace quern {
namespace {

std::string reached_text(const BudgetOutcome& outcome) {
    const double percent = float_macs_percent(outcome.coverage);
    const std::string left = percent > 0 ? fmt::format(", {:.2f} % of the multiply-accumulates float", percent) : "";
    const std::string scores = scores_text(outcome.evaluation);
    const std::string metric = outcome.evaluation.metric ? ", " + brief_metric_text(*outcome.evaluation.metric) : "";
    return fmt::format("{:.2f} dB{}{}{}, {} bytes of constants{}", outcome.evaluation.worst_db(), scores.empty() ? "" : ", ", scores,
                       metric, outcome.bytes, left);
}

std::string units_text(const std::vector<Change>& changes) {
    std::map<std::string_view, size_t> counts;
    for (const Change& change : changes) ++counts[change.type_name()];
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [type, count] : counts) parts.push_back(fmt::format("{} {}", count, type));
    return fmt::format("{} unit{} changed ({})", changes.size(), changes.size() == 1 ? "" : "s", join(parts, ", "));
}

std::string db_text(double db) { return std::isfinite(db) ? fmt::format("{:.2f} dB", db) : "equal"; }

std::string changes_text(const Proposal& proposal) {
    const BudgetOutcome& outcome = proposal.outcome;
    std::vector<std::string> all;
    if (proposal.methods.best) all.push_back(fmt::format("ranges by method {}", proposal.methods.best->name));
    if (const TriedCorrection& tried = proposal.correction; tried.chosen)
        all.push_back(fmt::format("bias-correction ({} to {} with {})", db_text(tried.gain->before_db), db_text(tried.gain->after_db),
                                  tried.type->name));
    if (outcome.rules.global) all.push_back(fmt::format("all {}", outcome.rules.global->name));
    if (!outcome.changes.empty() || all.empty()) all.push_back(units_text(outcome.changes));
    return join(all, ", ");
}

// "; 4 rows held back: optimal 35.20 dB (auto 31.10 dB), bias-correction 36.41 dB (without 35.20 dB)"
std::string proof_text(const ChosenMethod& chosen) {
    std::vector<std::string> parts;
    uint64_t rows = 0;
    const auto add = [&](std::string_view name, std::string_view other, const Proof& proof) {
        rows = proof.results;
        parts.push_back(fmt::format("{} {} ({} {})", name, db_text(proof.gain.after_db), other, db_text(proof.gain.before_db)));
    };
    for (const ProvenMethod& proven : chosen.proofs) add(proven.after->name, proven.before->name, proven.proof);
    if (chosen.correction.proof) add("bias-correction", "without", *chosen.correction.proof);
    return parts.empty() ? "" : fmt::format("; {} rows held back: {}", rows, join(parts, ", "));
}

// "ranges by method sqnr, bias-correction: 35.70 dB on 12 rows (auto 31.50 dB, min-max 30.00 dB, optimal 33.10 dB, without
// bias-correction 34.20 dB)"; of weights alone, which have no ranges, "wo-i8: 45.10 dB on 12 rows"
std::string method_text(const ChosenMethod& chosen, const QuantRequest& request) {
    const Method& asked = *request.search.method;
    std::vector<std::string> others;
    if (chosen.method) others.push_back(fmt::format("{} {}", asked.name, db_text(chosen.first_db)));
    for (const TriedMethod& tried : chosen.tried.all)
        if (tried.method != chosen.method) others.push_back(fmt::format("{} {}", tried.method->name, db_text(tried.worst_db)));
    const bool corrected = chosen.correction.chosen;
    if (const auto& gain = chosen.correction.gain)
        others.push_back(
            fmt::format("{} bias-correction {}", corrected ? "without" : "with", db_text(corrected ? gain->before_db : gain->after_db)));
    const bool ranges = request.scheme->full();
    std::string text =
        fmt::format("{}{}{}: {} on {} row{}", ranges ? "ranges by method " : "",
                    ranges ? (chosen.method ? *chosen.method : asked).name : request.scheme->name, corrected ? ", bias-correction" : "",
                    db_text(chosen.evaluation.worst_db()), chosen.evaluation.results, chosen.evaluation.results == 1 ? "" : "s");
    if (!chosen.judged_before.empty())
        text +=
            fmt::format(", chosen by what {} reads, as that saturates: {}", join(chosen.judged_before, " and "), db_text(chosen.judged_db));
    if (!others.empty()) text += fmt::format(" ({})", join(others, ", "));
    return text + proof_text(chosen);
}

std::string effort_text(const BudgetOutcome& outcome) {
    return fmt::format("{} evaluations, {} instrumented runs", outcome.evaluations, outcome.passes);
}

struct SplitSamples {
    SplitSamples(std::unique_ptr<SampleSource> samples, bool consecutive) : source(std::move(samples)), split(*source, consecutive) {}
    std::unique_ptr<SampleSource> source;
    Split split;
};

void correct_over(const std::shared_ptr<const SampleSource>& choosing, ChosenBySamples& chosen) {
    chosen.algorithms = correction_by(nullptr);
    chosen.samples = choosing;
}

std::string by_what_text(const std::vector<std::string>& judged_before) {
    return judged_before.empty() ? "" : fmt::format(", by what {} reads, as that saturates", join(judged_before, " and "));
}

// "algorithm cle: 43.80 dB on 12 rows, 43.17 dB without; 43.10 dB on 4 rows held back, 42.90 dB without"
std::string compared_text(const ComparedAlgorithm& compared, const ComparedAlgorithms& of) {
    const uint64_t rows = of.evaluation.results;
    std::string text = fmt::format("algorithm {}{}: {} on {} row{}, {} without", compared.row->name, compared.kept ? "" : " is taken back",
                                   db_text(compared.gain.after_db), rows, rows == 1 ? "" : "s", db_text(compared.gain.before_db));
    if (const auto& proof = compared.proof)
        text += fmt::format("; {} on {} rows held back, {} without", db_text(proof->gain.after_db), proof->results,
                            db_text(proof->gain.before_db));
    return text + by_what_text(of.judged_before);
}

// What no user of the model would want unsaid.
void warn_of_noise(const Evaluation& evaluation) {
    constexpr double few_db = 15;
    if (evaluation.worst_db() >= few_db) return;
    notice(fmt::format("output \"{}\" keeps only {:.2f} dB: quern check with --propose says why, and what mends it",
                       evaluation.worst()->key, evaluation.worst_db()));
}

BudgetFlags::Met keep_what_gains(const BudgetFlags::Bench& bench, const Quantizer& quantizer, SplitEvaluators& rows, const Split& split) {
    warn_of_random(bench.samples);
    const SampleFeed feed = sample_feed(split.choosing());
    AlgorithmOptions algorithms = bench.algorithms;
    algorithms.feed = &feed;
    ComparedAlgorithms compared = compare_algorithms(quantizer.with_algorithms(std::move(algorithms)), rows);
    notice_few(compared.evaluation.contradictions);
    for (const ComparedAlgorithm& one : compared.all) notice(compared_text(one, compared));
    warn_of_noise(compared.evaluation);
    return {{.made = QuantizedGraph{std::move(compared.graph), std::move(compared.report)}}, std::move(compared.evaluation)};
}

}  // namespace

void BudgetFlags::add(Options& add) {
    add.group("Budgets");
    metric_.add_drop(add,
                     "give units finer types until top-1 falls by at most POINTS percent points against the float model, or the metric by "
                     "at most N % of the float model's; needs samples, and --labels or --metric");
    add.real(sqnr_, "--min-output-sqnr", "DB", "the same until each output, and its worst part, has DB decibel; needs samples",
             {-300, 300});
    add.real(agreement_, "--min-agreement", "PERCENT",
             "the same until the greatest score is of the same class in PERCENT of the samples; needs samples", {0, 100});
    metric_.add(add, "the same until the metric is at least X; needs samples", "the same until the metric is at most X; needs samples");
    add.integer(bytes_, "--max-bytes", "N", "give units coarser types until the constants take at most N bytes; needs samples", 0);
    add.real(float_, "--max-macs-float", "PERCENT",
             "leave at most PERCENT of the multiply-accumulates to float numbers, whatever the other budgets want; needs samples",
             {0, 100});
    add.input(labels_, "--labels", "FILE[:COLUMN]", "classes of the samples: a CSV column (default: label), or next-token", label_files);
    add.integer(label_offset_, "--label-offset", "N", "add N to each label (default: 0)", -1000000, 1000000);
    add.text(scored_, "--score-output", "NAME", "the output with the scores (default: the first)");
    add.needs({"--label-offset", "--score-output"}, "--labels");
}

bool BudgetFlags::given() const { return goal().given() || float_ != unset || bytes_ > 0; }

void BudgetFlags::check_usage(bool samples) const {
    if (!given()) {
        if (!labels_.empty() || !scored_.empty())
            throw usage_error("labels are for --max-drop, --min-output-sqnr, --min-agreement, --max-macs-float, --max-bytes and metrics");
        if (metric_.given()) throw usage_error("--metric is for --min-metric, --max-metric and --max-drop");
        return;
    }
    if (!samples) throw usage_error("a budget needs samples").with_hint("give --input-list or --input");
    metric_.check_usage(labels_);
}

EvaluateOptions BudgetFlags::evaluate_options(const Graph& exact, const std::optional<Labels>& labels, int threads) const {
    return {.labels = labels ? &*labels : nullptr,
            .scored = scored_,
            .each_row = labels_ == "next-token",
            .threads = threads,
            .metric = metric_.maker(exact, scored_, labels_)};
}

Goal BudgetFlags::goal() const {
    Goal goal;
    if (sqnr_ != unset) goal.min_sqnr_db = sqnr_;
    if (agreement_ != unset) goal.min_agreement = agreement_;
    metric_.add_to(goal);
    return goal;
}

BudgetOptions BudgetFlags::budget_options(const Bench& bench, const Quantizer& quantizer) const {
    BudgetOptions budget{.goal = goal(), .max_bytes = {}, .types = usual_types(*bench.request.scheme, quantizer.work())};
    budget.threads = bench.threads;
    budget.other_methods = !bench.method_named;
    budget.file_bytes = [&bench](const Graph& graph) { return written_bytes(graph, bench.format, bench.write); };
    if (float_ != unset) budget.max_float_percent = float_;
    if (bytes_ > 0) budget.max_bytes = static_cast<uint64_t>(bytes_);
    if (verbosity() > 1) budget.note = [](const std::string& text) { notice(text); };
    return budget;
}

BudgetFlags::Met BudgetFlags::meet(const Bench& bench) const {
    const auto labels = labels_.empty() ? std::nullopt : std::optional<Labels>(std::in_place, labels_, label_offset_);
    const Quantizer quantizer(bench.model, bench.ranges, bench.request, bench.pool);
    const Graph exact = quantizer.exact();
    const auto rows = std::make_shared<SplitSamples>(bench.samples.open(input_specs(exact)), metric_.given());
    const Split& split = rows->split;
    const std::shared_ptr<const SampleSource> choosing(rows, &split.choosing());
    EvaluateOptions how = evaluate_options(exact, labels, bench.threads);
    how.profile = quantizer.profile();
    if (!bench.request.scheme->full()) how.as_read = as_read_again(bench.request.destination.format);
    Evaluator evaluator(exact, split.choosing(), how);
    if (!bench.algorithms.chosen.empty()) {
        SplitEvaluators rows(exact, split, how, evaluator, true);
        return keep_what_gains(bench, quantizer, rows, split);
    }
    if (!given()) {
        ChosenMethod chosen = choose_method(quantizer, split, evaluator, exact, how, !bench.method_named);
        notice_few(chosen.evaluation.contradictions);
        notice(method_text(chosen, bench.request));
        warn_of_noise(chosen.evaluation);
        Met met{{.method = chosen.method}, std::move(chosen.evaluation)};
        if (chosen.correction.chosen) correct_over(choosing, met.chosen);
        return met;
    }
    Proposal proposal = propose(quantizer, split, evaluator, exact, how, budget_options(bench, quantizer));
    BudgetOutcome& outcome = proposal.outcome;
    notice_few(outcome.evaluation.contradictions);
    if (!outcome.met) {
        std::vector<std::string> details = outcome.missed;
        details.push_back(
            fmt::format("the best of {} evaluations: {}, {}", outcome.evaluations, changes_text(proposal), reached_text(outcome)));
        throw Error(Exit::no, "the budget is not reachable").with_details(std::move(details));
    }
    if (!proposal.changes_nothing())
        notice(fmt::format("{}: {}; {}; {}", changes_text(proposal), reached_text(outcome), effort_text(outcome), proposal.proof_text()));
    if (const std::string worse = proposal.worse_text(); !worse.empty()) notice(worse);
    for (const std::string& line : proposal.unproved) notice("rows held back: " + line);
    warn_of_noise(outcome.evaluation);
    Rules rules = bench.request.rules ? *bench.request.rules : Rules();
    outcome.rules.add_to(rules);
    Met met{{.rules = std::move(rules), .method = proposal.methods.best}, std::move(outcome.evaluation)};
    if (proposal.correction.chosen) correct_over(choosing, met.chosen);
    return met;
}

}  // namespace quern
