#include "libcore/check/report.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/report/page.h"

namespace quern {
namespace {

using enum Column::Is;

std::string decibel(double db) { return std::isfinite(db) ? fmt::format("{:.2f}", db) : db > 0 ? "equal" : "-"; }
std::string with_unit(const std::string& db) { return db == "equal" ? db : db == "-" ? "not known" : db + " dB"; }
std::string_view plural(size_t count) { return count == 1 ? "" : "s"; }

std::string model_text(const CheckedModel& model, uint64_t exact_bytes) {
    const Evaluation& e = model.evaluation;
    const std::string scores = scores_text(e);
    std::string out = fmt::format("{}:{}{}\n", model.name, scores.empty() ? "" : " ", scores);
    if (e.metric) out += fmt::format("  metric: {}\n", metric_text(*e.metric));
    for (const ComparedValue& value : e.outputs) {
        if (value.difference.count() == 0 && value.difference.mismatch.empty()) continue;
        out += fmt::format("  output \"{}\": {}", escape(value.key), figure_text(value.difference));
        if (const auto sample = value.difference.worst_sample()) out += fmt::format("; {} has {:.2f} dB", sample->name, sample->sqnr);
        out += "\n";
    }
    out += fmt::format("  {}\n", coverage_text(model.coverage));
    out += fmt::format("  constants take {} bytes (float {})\n", model.bytes, exact_bytes);
    for (const std::string& line : e.contradictions) out += fmt::format("  {}\n", line);
    for (const std::string& line : model.missed) out += fmt::format("  missed: {}\n", line);
    return out;
}

// Why some figures are not known; "": all are.
std::string missing_text(const CheckReport& report) {
    if (report.missing_weights.empty()) return {};
    std::vector<std::string> names;
    for (const std::string& name : report.missing_weights) names.push_back(fmt::format("\"{}\"", escape(name)));
    return "the float model has not all weights by these names and shapes: " + join(few_of(std::move(names)), ", ");
}

std::string rows_text(const CheckReport& report, size_t rows) {
    if (report.worst.empty()) return {};
    std::string out = fmt::format("\nsensitivity of {} quantized units and inputs, for output \"{}\" ({} in float arithmetic)\n",
                                  report.rows.size(), escape(report.worst), with_unit(decibel(report.worst_fake_db)));
    const std::string why = missing_text(report);
    out += fmt::format("weights alone quantized: {}, activations alone{}: {}{}\n", with_unit(decibel(report.weights_db)),
                       why.empty() || report.checked.empty() ? "" : " and what is evaluated without a unit",
                       with_unit(decibel(report.activations_db)), why.empty() ? "" : ", as " + why);
    out += fmt::format("{:>7} {:>9} {:>9} {:>10}  {:<24} {}\n", "share", "its dB", "alone dB", "without dB", "unit", "cause");
    for (size_t i = 0; i < std::min(rows, report.rows.size()); ++i) {
        const Sensitivity& row = report.rows[i];
        out += fmt::format("{:>6.1f}% {:>9} {:>9} {:>10}  {:<24} {}\n", 100 * row.share(), decibel(row.local_db), decibel(row.alone_db),
                           decibel(row.without_db), fmt::format("{} ({})", escape(row.name), row.op), report.causes[i]);
        if (i < report.checked.size())
            out += fmt::format("{:>7} {:>9} {:>9} {:>10}\n", "", "evaluated", decibel(report.checked[i].alone_db),
                               decibel(report.checked[i].without_db));
    }
    if (rows < report.rows.size()) out += fmt::format("and {} more\n", report.rows.size() - rows);
    return out;
}

std::string changes_text(const std::vector<Change>& changes, size_t rows) {
    std::map<std::string_view, size_t> counts;
    for (const Change& change : changes) ++counts[change.type_name()];
    std::string out;
    for (const auto& [type, count] : counts) {
        out += fmt::format("  {:<8} {} unit{}:", type, count, plural(count));
        size_t shown = 0;
        for (const Change& change : changes)
            if (change.type_name() == type && shown++ < rows) out += fmt::format(" {} ({})", escape(change.name), change.op);
        out += shown > rows ? fmt::format(" and {} more\n", shown - rows) : "\n";
    }
    return out;
}

std::string proposal_text(const CheckReport& report, size_t rows) {
    if (!report.proposal) return {};
    const Proposal& proposal = *report.proposal;
    const BudgetOutcome& p = proposal.outcome;
    std::string out =
        fmt::format("\nproposal: {}{} unit{} changed{}\n", p.rules.global ? fmt::format("all {}, ", p.rules.global->name) : "",
                    p.changes.size(), plural(p.changes.size()), report.proposal_file.empty() ? "" : ", written to " + report.proposal_file);
    if (const Method* method = proposal.methods.best)
        out += fmt::format("  method   {}: {} before anything is changed\n", method->name, with_unit(decibel(p.first_db)));
    if (const TriedCorrection& tried = proposal.correction; tried.chosen)
        out += fmt::format("  biases   bias-correction, for which quantize --rules needs samples: {} before, {} with it, of {}\n",
                           with_unit(decibel(tried.gain->before_db)), with_unit(decibel(tried.gain->after_db)), tried.type->name);
    if (const std::string worse = proposal.worse_text(); !worse.empty()) out += fmt::format("  biases   {}\n", worse);
    out += changes_text(p.changes, rows);
    const std::string scores = scores_text(p.evaluation);
    out += fmt::format("evaluated with it: {}{}worst output {}, {} bytes of constants\n", scores, scores.empty() ? "" : ", ",
                       with_unit(decibel(p.evaluation.worst_db())), p.bytes);
    if (p.evaluation.metric) out += fmt::format("  metric: {}\n", metric_text(*p.evaluation.metric));
    if (!proposal.changes_nothing()) out += proposal.proof_text() + "\n";
    for (const std::string& line : proposal.unproved) out += fmt::format("  not reached by rows held back: {}\n", line);
    out += fmt::format("  {}\n", coverage_text(p.coverage));
    for (const std::string& line : p.missed) out += fmt::format("  not reached: {}\n", line);
    return out;
}

Json score_json(const std::optional<Score>& score) {
    return score ? Json{{"scored", score->scored}, {"top1", score->top1}, {"top5", score->top5}} : Json(nullptr);
}

Json metric_json(const std::optional<MetricFigure>& metric) {
    if (!metric) return nullptr;
    Json out{{"name", metric->name}, {"float", metric->exact}, {"quantized", metric->quantized}};
    if (metric->worst) out["worst_sample"] = {{"name", metric->worst->name}, {"value", metric->worst->value}};
    return out;
}

Json evaluation_json(const Evaluation& e) {
    Json outputs = Json::array();
    for (const ComparedValue& value : e.outputs) {
        Json row{{"name", value.key},
                 {"identical", value.difference.identical()},
                 {"sqnr", value.difference.sqnr()},
                 {"whole_sqnr", value.difference.whole_sqnr()}};
        if (const auto part = value.difference.worst_part()) row["worst_part"] = {{"name", part->name}, {"sqnr", part->sqnr}};
        if (const auto sample = value.difference.worst_sample()) row["worst_sample"] = {{"name", sample->name}, {"sqnr", sample->sqnr}};
        if (!value.difference.mismatch.empty()) row["mismatch"] = value.difference.mismatch;
        outputs.push_back(std::move(row));
    }
    return {{"float_score", score_json(e.exact)},
            {"score", score_json(e.quantized)},
            {"agreement", e.compared > 0 ? Json(e.agreement()) : Json(nullptr)},
            {"agreeing", e.agreeing},
            {"compared", e.compared},
            {"metric", metric_json(e.metric)},
            {"contradictions", e.contradictions},
            {"outputs", outputs}};
}

Json row_json(const CheckReport& report, size_t i) {
    const Sensitivity& row = report.rows[i];
    Json out{{"name", row.name},
             {"op", row.op},
             {"share", row.share()},
             {"weights_share", row.weights},
             {"activations_share", row.rounding},
             {"local_db", row.local_db},
             {"alone_db", row.alone_db},
             {"without_db", row.without_db},
             {"cause", std::string(name_of(row.cause))},
             {"text", report.causes[i]},
             {"channel", row.channel >= 0 ? Json(row.channel) : Json(nullptr)},
             {"outliers", row.outliers},
             {"core", row.core},
             {"clipped", row.clipped}};
    if (i < report.checked.size())
        out["evaluated"] = {{"alone_db", report.checked[i].alone_db}, {"without_db", report.checked[i].without_db}};
    return out;
}

Json proposal_json(const CheckReport& report) {
    if (!report.proposal) return nullptr;
    Json changes = Json::array();
    const Proposal& proposal = *report.proposal;
    const BudgetOutcome& outcome = proposal.outcome;
    for (const Change& change : outcome.changes)
        changes.push_back({{"name", change.name}, {"op", change.op}, {"nodes", change.nodes}, {"type", std::string(change.type_name())}});
    Json out{{"changes", changes},
             {"evaluation", evaluation_json(outcome.evaluation)},
             {"bytes", outcome.bytes},
             {"met", outcome.met},
             {"missed", outcome.missed},
             {"unproved", proposal.unproved},
             {"proof", proposal.proof ? evaluation_json(*proposal.proof) : Json(nullptr)}};
    if (outcome.rules.global) out["type"] = std::string(outcome.rules.global->name);
    if (proposal.methods.best) out["method"] = std::string(proposal.methods.best->name);
    for (const TriedMethod& tried : proposal.methods.all) out["tried_methods"][std::string(tried.method->name)] = tried.worst_db;
    if (const TriedCorrection& tried = proposal.correction; tried.gain) {
        out["bias_correction"] = {{"chosen", tried.chosen},
                                  {"type", std::string(tried.type->name)},
                                  {"before_db", tried.gain->before_db},
                                  {"after_db", tried.gain->after_db}};
        if (tried.proof)
            out["bias_correction"]["held_back"] = {{"before_db", tried.proof->gain.before_db}, {"after_db", tried.proof->gain.after_db}};
    }
    out["coverage"] = coverage_json(outcome.coverage);
    return out;
}

// What is infinite or not known is null in files.
Json check_document(const CheckReport& report) {
    Json models = Json::array(), rows = Json::array();
    for (const CheckedModel& model : report.models)
        models.push_back({{"name", model.name},
                          {"evaluation", evaluation_json(model.evaluation)},
                          {"coverage", coverage_json(model.coverage)},
                          {"bytes", model.bytes},
                          {"missed", model.missed}});
    for (size_t i = 0; i < report.rows.size(); ++i) rows.push_back(row_json(report, i));
    return {{"samples", report.samples},
            {"backend", report.backend},
            {"float_bytes", report.exact_bytes},
            {"models", models},
            {"worst_output", report.worst},
            {"fake_db", report.worst_fake_db},
            {"weights_db", report.weights_db},
            {"activations_db", report.activations_db},
            {"missing_weights", report.missing_weights},
            {"sensitivity", rows},
            {"proposal", proposal_json(report)},
            {"evaluations", report.evaluations},
            {"instrumented_runs", report.passes}};
}

// ---- the page: what the models are worth, a row for each unit with its share of the noise and its cause, the rules that mend ----

// What is beside the JSON of files.
Json page_document(const CheckReport& report) {
    Json out = check_document(report);
    for (size_t i = 0; i < report.models.size(); ++i) {
        out["models"][i]["worst_db"] = report.models[i].evaluation.worst_db();
        out["models"][i]["quantized"] = weights_and_macs_text(report.models[i].coverage);
    }
    if (!report.models.empty()) {
        out["first"] = out["models"][0];
        out["first"]["coverage"] = coverage_text(report.models[0].coverage);
        if (report.models[0].evaluation.outputs.size() > 1) out["outputs"] = out["first"]["evaluation"]["outputs"];
        if (report.models.size() == 1) out["models"].clear();
    }
    if (report.proposal) {
        out["proposal"]["worst_db"] = report.proposal->outcome.evaluation.worst_db();
        out["proposal"]["first_db"] = report.proposal->outcome.first_db;
        if (const std::string proof = report.proposal->proof_text(); !proof.empty()) out["proposal"]["proved"] = proof;
        out["proposal"]["rules"] = report.proposal_rules;
    }
    if (const std::string why = missing_text(report); !why.empty()) out["why_not_known"] = why;
    if (report.worst.empty()) out["sensitivity"].clear();
    out["model"] = report.model;
    return out;
}

const Page& check_page() {
    static const Column decibels{"SQNR dB", "[{mismatch}][{mismatch:no}{sqnr:.2f}]", number};
    static const Card top1{"{evaluation/score:top1}", "top-1[, float {evaluation/float_score:top1}]"},
        agreement{"[{evaluation/compared:if}{evaluation/agreement:.2f %}]", "agreement with the float model"},
        metric{"{evaluation/metric/quantized:.6g}", "metric {evaluation/metric/name:code}[, float {evaluation/metric/float:.6g}]"},
        worst{"{worst_db:.1f dB}", "SQNR of the worst output"};
    static const Page page{
        .title = "{model}[ checked: {first/name}]",
        .panels = {
            {.from = "first",
             .cards = {top1,
                       agreement,
                       metric,
                       worst,
                       {"{bytes:bytes}", "constants, of {/float_bytes:bytes} in float"},
                       {"{/samples}", "samples"}},
             .below = "[{missed:if}<p class=\"bad\">Missed: {missed:words}.</p>\n]"
                      "[{evaluation/contradictions:if}<p class=\"bad\">{evaluation/contradictions:words}.</p>\n]<p>{coverage}.</p>\n"},
            {.title = "Types that were tried",
             .from = "models",
             .columns = {{"type", "{name:code}"},
                         {"top-1", "{evaluation/score:top1}", number},
                         {"agreement %", "[{evaluation/compared:if}{evaluation/agreement:.2f}]", number},
                         {"metric", "{evaluation/metric/quantized:.6g}", number},
                         {"worst dB", "{worst_db:.2f}", number},
                         {"constants", "{bytes:bytes}", number},
                         {"", "{quantized}[<div class=\"bad\">missed: {missed:words}</div>]", why}},
             .others = "--report FILE.json"},
            {.title = "Outputs",
             .from = "outputs",
             .columns = {{"output", "{name:code}"}, decibels},
             .listed = 100,
             .others = "--report FILE.json"},
            {.title = "What costs accuracy",
             .from = "sensitivity",
             .text =
                 "<p>Of {sensitivity:count} quantized units and inputs, for output {worst_output:code} ([{fake_db:.1f "
                 "dB}][{fake_db:no}not known] in float arithmetic): with its weights alone quantized it has [{weights_db:.1f "
                 "dB}][{weights_db:no}not known], with its activations alone [{activations_db:.1f dB}][{activations_db:no}not "
                 "known][, as {why_not_known}].</p>\n<p class=\"soft key\"><span>Share of the noise at that output:</span><span><i "
                 "class=\"a\"></i>of the "
                 "unit's activations</span><span><i class=\"w\"></i>of its weights.</span></p>\n<p class=\"soft\">SQNR in dB: of its own "
                 "result, it alone quantized; of the output, it alone quantized; of the output, it alone float.</p>\n",
             .columns = {{"unit", "{name:code} <span class=\"soft\">{op}</span>"},
                         {"share", "<span class=\"share\">{activations_share:bar a}{weights_share:bar w}{share:share}</span>"},
                         {"its dB", "{local_db:.2f}", number},
                         {"alone", "{alone_db:.2f}", number},
                         {"without", "{without_db:.2f}", number},
                         {"cause",
                          "{text}[<div class=\"soft\">evaluated: alone {evaluated/alone_db:.1f dB}, without {evaluated/without_db:.1f "
                          "dB}</div>]",
                          why}},
             .others = "--report FILE.json"},
            {.title = "What mends it",
             .from = "proposal",
             .cards = {top1,
                       agreement,
                       worst,
                       {"{bytes:bytes}", "constants"},
                       {"[{changes:if}{changes:count}][{changes:no}0]", "unit[{changes:s}][{changes:no}s] changed"}},
             .below =
                 "[{missed:if}<p class=\"bad\">Not reached: {missed:words}.</p>\n]"
                 "[<p>{proved}.[ <span class=\"bad\">Not reached by these: {unproved:words}.</span>]</p>\n][<p>Ranges by method "
                 "{method:code}: {first_db:.1f dB} before anything is changed.</p>\n]"
                 "[{bias_correction/chosen:if}<p>Biases by <code>bias-correction</code>, for which <code>quantize --rules</code> needs "
                 "samples: {bias_correction/before_db:.1f dB} before, {bias_correction/after_db:.1f dB} with it, of "
                 "{bias_correction/type}.</p>\n]"
                 "[<p>All are {type:code}, but for these.</p>\n]"},
            {.from = "proposal/changes",
             .columns = {{"unit", "{name:code}"}, {"operator", "{op}"}, {"type", "{type:code}"}},
             .others = "--report FILE.json"},
            {.text =
                 "[<details><summary>Rules for <code>quantize --rules</code></summary><pre>{proposal/rules}</pre></details>\n]"
                 "<p class=\"soft\">{samples} samples, evaluated {evaluations} times; {instrumented_runs} instrumented runs.[ Quantized "
                 "models ran on {backend}.]</p>\n"}}};
    return page;
}

}  // namespace

std::string check_text(const CheckReport& report, size_t rows) {
    std::string out;
    for (const CheckedModel& model : report.models) out += model_text(model, report.exact_bytes);
    out += rows_text(report, rows) + proposal_text(report, rows);
    if (!report.backend.empty())
        out += fmt::format("\nquantized models ran on {}, sensitivities are of quern's own arithmetic\n", printable(report.backend));
    return out + fmt::format("\n{} samples, {} evaluation{}, {} instrumented run{} over them\n", report.samples, report.evaluations,
                             plural(report.evaluations), report.passes, plural(report.passes));
}

std::string check_json(const CheckReport& report) { return json_document(check_document(report)); }

std::string check_html(const CheckReport& report) { return html_page(check_page(), page_document(report)); }

}  // namespace quern
