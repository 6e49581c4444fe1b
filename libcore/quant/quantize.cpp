#include "libcore/quant/quantize.h"

#include <algorithm>
#include <map>

#include "libcore/base/text.h"
#include "libcore/graph/device.h"
#include "libcore/graph/edit.h"
#include "libcore/ops/integer/family.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/plan/planner.h"
#include "libcore/quant/plan/recurrent.h"
#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/types/asked.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

// Searches the ranges of all values that the main type may need, in parallel; what follows finds them searched.
void search_ahead(const Graph& graph, const Statistics& statistics, const QuantWork& work, ThreadPool& pool) {
    if (!work.request.scheme || !work.request.scheme->full()) return;
    std::vector<std::pair<const Graph*, ValueId>> values;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (const NodeId id : part.order())
            for (const ValueId out : part.node(id).out)
                if (out != ValueId::none && part.value(out).type.dtype == DType::f32 && statistics.has(part, out))
                    values.emplace_back(&part, out);
    });
    const GridSpec spec = activation_spec(*work.request.scheme, work);
    const SearchOptions search = search_of(*work.request.scheme, work);
    pool.run(values.size(), [&](size_t i) { statistics.grid(*values[i].first, values[i].second, spec, search); });
}

double total_of(const std::vector<Mass>& masses) {
    double total = 0;
    for (const Mass& mass : masses) total += mass.weight;
    return total;
}

Moments moments_of(const std::vector<Mass>& masses) {
    double total = 0, sum = 0, squares = 0;
    for (const Mass& mass : masses) {
        const double middle = (mass.lo + mass.hi) / 2;
        total += mass.weight;
        sum += mass.weight * middle;
        squares += mass.weight * middle * middle;
    }
    if (total <= 0) return {};
    const double mean = sum / total;
    return {mean, squares / total - mean * mean};
}

// What the plan asks about the operators behind a value that is rounded; `insight` may not outlive the others.
void add_responses(Insight& insight, const Graph& part, const Statistics& statistics) {
    const auto masses = [&](ValueId id) { return statistics.has(part, id) ? masses_of(statistics.of(part, id)) : std::vector<Mass>(); };
    insight.masses = [&](ValueId id) {
        return statistics.has(part, id) ? masses_of(statistics.of(part, id), measured_masses) : std::vector<Mass>();
    };
    insight.grid = [&](ValueId id, const GridSpec& spec, const SearchOptions& search) -> std::optional<Grid> {
        if (!statistics.has(part, id)) return std::nullopt;
        return statistics.grid(part, id, spec, search).grid;
    };
    insight.moments = [masses](ValueId id) { return moments_of(masses(id)); };
    insight.noise = [masses, &part, &statistics](ValueId id, const GridSpec& spec, const SearchOptions& search) {
        const double total = total_of(masses(id));
        return total > 0 ? statistics.grid(part, id, spec, search).error.noise() / total : 0;
    };
    insight.response_db = [masses, &part, &statistics](ValueId id, const GridSpec& spec, const SearchOptions& search,
                                                       double (*curve)(double)) -> std::optional<double> {
        const auto seen = masses(id);
        if (seen.empty()) return std::nullopt;
        return response_db(seen, statistics.grid(part, id, spec, search).grid, spec, curve);
    };
}

bool never_ran(const Ranges& ranges, const std::string& path) {
    return std::ranges::any_of(ranges.unvisited, [&](const std::string& body) { return path.starts_with(body + "/"); });
}

// In TFLite's arithmetic products of real numbers and codes round the numbers: not those whose weights alone are to be codes. In its files
// nothing else tells such recurrent operators.
void mark_weight_only(Graph& graph, const GraphPlan& plan, bool all) {
    for (const NodeId id : graph.order()) {
        const auto found = plan.nodes.find(id);
        if (!all && !is_recurrent(graph.node(id))) continue;
        if (found != plan.nodes.end() && found->second.scheme && found->second.scheme->activations == Scheme::Activations::float32)
            graph.node(id).attrs[weight_only_key] = int64_t{1};
    }
}

void report_nodes(const Graph& graph, const std::string& path, const GraphPlan& plan, QuantReport& report) {
    const support::Units units = support::units_of(graph);
    std::map<size_t, int> numbers;  // of units with quantized nodes, as they are met, behind those of other graphs
    int first = 0;
    for (const NodeReport& node : report.nodes) first = std::max(first, node.unit + 1);
    for (const NodeId id : graph.order()) {
        const auto found = plan.nodes.find(id);
        if (found == plan.nodes.end() || !found->second.counts) continue;
        const Node& node = graph.node(id);
        const Scheme* scheme = found->second.scheme;
        const int number = scheme && scheme->full() && is_integer(scheme->activation)
                               ? numbers.try_emplace(units.of[index_of(id)], first + static_cast<int>(numbers.size())).first->second
                               : -1;
        report.nodes.push_back(
            {path + node.name, std::string(node.op->name), found->second.rule, scheme != nullptr, number, found->second.reason});
        report.nodes.back().asked = found->second.demanded && found->second.rule != "type";
    }
}

void check_rules(const Graph& graph, const QuantWork& work, QuantReport& report) {
    if (work.request.rules) report.unmatched = work.request.rules->unmatched(graph, work.fused);
    if (report.unmatched.empty() || work.request.allow_unmatched) return;
    std::vector<std::string> more(report.unmatched.begin() + 1, report.unmatched.end());
    throw bad_input("{}", report.unmatched.front())
        .with_details(std::move(more))
        .with_hint("model-info lists names, scopes and operators; --allow-unmatched makes a notice of it");
}

}  // namespace

std::vector<std::string> value_keys(const Graph& graph) {
    std::vector<std::string> keys;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (size_t i = 0; i < part.value_count(); ++i)
            if (!part.value(static_cast<ValueId>(i)).erased) keys.push_back(path + part.value(static_cast<ValueId>(i)).name);
    });
    return keys;
}

QuantReport quantize_graph(Graph& graph, const Ranges* ranges, const QuantWork& given, ThreadPool& pool) {
    QuantWork work = given;
    work.keep_float.merge(names_at(graph, keep_float_key));
    if (work.request.rules) work.request.rules->look_into(graph);
    localize_constants(graph);
    Statistics statistics(ranges);
    statistics.name_values(graph, "");
    search_ahead(graph, statistics, work, pool);
    QuantReport report;
    report.type = work.request.scheme ? std::string(work.request.scheme->name) : "none";
    if (ranges) report.samples = ranges->samples;
    std::vector<WeightJob> jobs;
    // In Circle files such products are hybrid, whatever they are called.
    const bool tflite = is_of_tflite(graph) && (work.recipe || own_profile_name(graph) != "one");
    for_each_graph(graph, [&](Graph& part, const std::string& path) {
        Insight insight;
        insight.sqnr_db = [&](ValueId id, const GridSpec& spec, const SearchOptions& search) {
            if (!statistics.has(part, id)) return std::numeric_limits<double>::infinity();
            const FoundGrid found = statistics.grid(part, id, spec, search);
            return found.known ? found.error.sqnr_db() : std::numeric_limits<double>::infinity();
        };
        add_responses(insight, part, statistics);
        insight.cells = [&](const Node& node) { return statistics.cells(part, node); };
        insight.mask = [&](ValueId id) { return statistics.mask(part, id); };
        insight.measured = ranges != nullptr;
        insight.never_ran = ranges && never_ran(*ranges, path);
        const GraphPlan plan = plan_graph(part, path, work, insight);
        if (std::ranges::any_of(plan.nodes, [](const auto& item) { return item.second.reason == never_ran_reason; }))
            report.unvisited.push_back(path.substr(0, path.size() - 1));
        report.amplified.insert(report.amplified.end(), plan.amplified.begin(), plan.amplified.end());
        report.uneven.insert(report.uneven.end(), plan.uneven.begin(), plan.uneven.end());
        assign_activations(part, path.empty(), plan, statistics, work, report);
        assign_channel_constants(part, path, plan, work, report);
        assign_dynamic_lstms(part, path, plan, work, report);
        assign_dynamic(part, plan);
        assign_lstms(part, path, plan, statistics, work, report);
        add_weight_jobs(part, path, plan, work, jobs);
        place_recodes(part);
        mark_weight_only(part, plan, tflite);
        report_nodes(part, path, plan, report);
    });
    check_rules(graph, work, report);
    run_weight_jobs(jobs, work, report, pool);
    for_each_graph(graph, [&](Graph& part, const std::string& path) { narrow_floats(part, path, work, report); });
    std::erase_if(report.values, [&](const ValueReport& value) {
        const auto came = work.short_floats.find(value.key);
        return came != work.short_floats.end() && came->second == value.encoding.storage;  // nothing has become of it
    });
    if (work.overrides)
        for (const auto& [name, wanted] : *work.overrides)
            if (is_scaled(wanted.storage) && !report.find(name)) report.unapplied.push_back(name);
    if (work.measured) locate(graph, report);
    return report;
}

}  // namespace quern
