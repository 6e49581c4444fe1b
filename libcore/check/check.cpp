#include "libcore/check/check.h"

#include <limits>
#include <set>

#include "libcore/exec/meaning.h"

namespace quern {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double db_of(const Evaluation& evaluation, const std::string& output) {
    for (const ComparedValue& value : evaluation.outputs)
        if (value.key == output) return value.difference.whole_sqnr();
    return evaluation.worst_db();
}

// What is rounded with a row's results: all values on their grids.
std::set<std::string> rounded_with(const Probe& probe, const Measurement& measured, const Sensitivity& row) {
    const std::vector<size_t> grids = shared_grids(probe, measured);
    std::set<size_t> own;
    if (row.unit < probe.units.size())
        for (const size_t v : probe.units[row.unit].out) own.insert(grids[v]);
    else
        own.insert(grids[row.unit - probe.units.size()]);
    std::set<std::string> names;
    for (size_t v = 0; v < grids.size(); ++v)
        if (own.contains(grids[v])) names.insert(probe.values[v].name);
    return names;
}

// `all_constants`: are those of the float model known (missing_constants)?
CheckedUnit evaluated(Evaluator& evaluator, const Graph& exact, const Graph& quantized, bool all_constants, const Probe& probe,
                      const Measurement& measured, const Sensitivity& row) {
    const std::vector<std::string> list = row.unit < probe.units.size() ? probe.units[row.unit].nodes : std::vector<std::string>();
    const std::set<std::string> nodes(list.begin(), list.end()), values = rounded_with(probe, measured, row);
    const std::string& output = probe.outputs[*worst_output(probe, measured)];
    const auto db = [&](bool alone) {
        const KeptCodes kept{[&](const Node& node) { return nodes.contains(node.name) == alone; },
                             [&](const std::string& value) { return values.contains(value) == alone; }};
        return db_of(evaluator.evaluate(partly_quantized(exact, quantized, kept), Mode::fake), output);
    };
    return {row.name, db(true), all_constants ? db(false) : unknown};
}

// The two halves of the noise: only the weights quantized, and only the activations.
void check_halves(CheckReport& report, Evaluator& evaluator, const Graph& exact, const Graph& quantized, bool all_constants) {
    const auto db = [&](bool weights) {
        const KeptCodes kept{[&](const Node&) { return weights; }, [&](const std::string&) { return !weights; }};
        return db_of(evaluator.evaluate(partly_quantized(exact, quantized, kept), Mode::fake), report.worst);
    };
    report.weights_db = db(true);
    report.activations_db = all_constants ? db(false) : unknown;
}

}  // namespace

void check_model(CheckReport& report, Evaluator& evaluator, const std::string& name, const Graph& quantized, const Goal& goal) {
    CheckedModel model{
        .name = name, .evaluation = evaluator.evaluate(quantized, std::nullopt, name), .coverage = coverage_of(quantized, false)};
    model.bytes = stored_bytes(quantized);
    model.missed = goal.missed(model.evaluation);
    ++report.evaluations;
    report.models.push_back(std::move(model));
}

void check_units(CheckReport& report, Evaluator& evaluator, const Graph& exact, const Graph& quantized, const SampleSource& source,
                 const CheckOptions& options) {
    const Probe probe = make_probe(exact, quantized);
    const Measurement measured = measure(probe, source, options.threads, options.step);
    ++report.passes;
    const auto worst = worst_output(probe, measured);
    if (!worst) return;
    const uint64_t before = evaluator.count();
    report.worst = probe.outputs[*worst];
    report.worst_fake_db = output_db(probe, measured, *worst);
    report.rows = sensitivities(probe, measured, *worst);
    report.missing_weights = missing_constants(exact, quantized);
    const bool all_constants = report.missing_weights.empty();
    check_halves(report, evaluator, exact, quantized, all_constants);
    for (const Sensitivity& row : report.rows) report.causes.push_back(cause_text(probe, row));
    for (size_t i = 0; i < std::min(options.evaluated_units, report.rows.size()) && report.rows[i].share() > 0; ++i)
        report.checked.push_back(evaluated(evaluator, exact, quantized, all_constants, probe, measured, report.rows[i]));
    report.evaluations += evaluator.count() - before;
}

}  // namespace quern
