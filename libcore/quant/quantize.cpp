#include "libcore/quant/quantize.h"

#include <algorithm>
#include <map>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/device.h"
#include "libcore/graph/edit.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/quant/assign/assign.h"
#include "libcore/quant/plan/recurrent.h"
#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/types/overrides_names.h"
#include "libcore/quant/types/two_level.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

// Searches the ranges of all values that the main type may need, in parallel; what follows finds them searched.
void search_ahead(const Graph& graph, const Statistics& statistics, const QuantOptions& options, ThreadPool& pool) {
    if (!options.scheme || !options.scheme->full()) return;
    std::vector<std::pair<const Graph*, ValueId>> values;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (const NodeId id : part.order())
            for (const ValueId out : part.node(id).out)
                if (out != ValueId::none && part.value(out).type.dtype == DType::f32 && statistics.has(part, out))
                    values.emplace_back(&part, out);
    });
    const GridSpec spec = activation_spec(*options.scheme, options);
    const SearchOptions search = search_of(*options.scheme, options);
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
    }
}

void check_rules(const Graph& graph, const QuantOptions& options, QuantReport& report) {
    if (options.rules) report.unmatched = options.rules->unmatched(graph, options.fused);
    if (report.unmatched.empty() || options.allow_unmatched) return;
    std::vector<std::string> more(report.unmatched.begin() + 1, report.unmatched.end());
    throw bad_input("{}", report.unmatched.front())
        .with_details(std::move(more))
        .with_hint("model-info lists names, scopes and operators; --allow-unmatched makes a notice of it");
}

}  // namespace

const Recipe& recipe_of(const Scheme& scheme, const QuantOptions& options) {
    if (options.recipe) return *options.recipe;
    if (!scheme.recipe.empty()) return recipe_named(scheme.recipe);
    return options.usual ? *options.usual : recipe_named("onnx");
}

GridSpec activation_spec(const Scheme& scheme, const QuantOptions& options) {
    GridSpec spec = recipe_of(scheme, options).grid(scheme.activation_spec());
    spec.min_scale = std::max(spec.min_scale, scheme.least_scale);
    return spec;
}

GridSpec weight_spec(const Scheme& scheme, const QuantOptions& options) {
    GridSpec spec = recipe_of(scheme, options).grid({.storage = scheme.weight, .symmetric = scheme.weight_symmetric});
    spec.min_scale = std::max(spec.min_scale, scheme.least_scale);
    return spec;
}

SearchOptions search_of(const Scheme& scheme, const QuantOptions& options) {
    const Recipe& recipe = recipe_of(scheme, options);
    SearchOptions search = options.search;
    search.by_runs = recipe.by_runs;
    search.averaging_batch = recipe.averaging_batch;
    return search;
}

bool goes_by_runs(const QuantOptions& options) {
    const auto is_by_runs = [&](const Scheme* scheme, const Method* method) {
        return (method ? method : options.search.method)->by_runs || (scheme && recipe_of(*scheme, options).by_runs);
    };
    return is_by_runs(options.scheme, nullptr) ||
           (options.rules && options.rules->any([&](const Rule& rule) { return is_by_runs(rule.scheme, rule.method); }));
}

std::vector<std::string> value_keys(const Graph& graph) {
    std::vector<std::string> keys;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (size_t i = 0; i < part.value_count(); ++i)
            if (!part.value(static_cast<ValueId>(i)).erased) keys.push_back(path + part.value(static_cast<ValueId>(i)).name);
    });
    return keys;
}

void check_overrides(const Overrides& overrides, std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    const std::vector<std::string> unknown = unknown_of(overrides, names);
    if (unknown.empty()) return;
    const std::string more = unknown.size() > 1 ? fmt::format(", nor those of {} more", unknown.size() - 1) : "";
    throw bad_input("override for \"{}\": the model has no such value{}{}", escape(unknown.front()), more,
                    did_you_mean(unknown.front(), names))
        .with_hint("--allow-unmatched leaves out what the model does not have");
}

std::optional<Override> override_of(const QuantOptions& options, const std::string& key, DType usual) {
    if (!options.overrides) return std::nullopt;
    const auto found = options.overrides->find(key);
    if (found == options.overrides->end()) return std::nullopt;
    Override wanted = found->second;
    if (!wanted.any_sign || !is_integer(usual) || bits_of(usual) != bits_of(wanted.storage)) return wanted;
    const int64_t shift = int_range(usual).min - int_range(wanted.storage).min;
    wanted.storage = usual;
    for (int64_t& zero : wanted.zero) zero += shift;
    return wanted;
}

// With those of channels multiplied in.
static std::vector<float> scales_of(const Override& wanted, const Dims& shape, int axis, std::string_view key) {
    std::vector<float> scales = wanted.scale;
    if (wanted.channels.empty()) return scales;
    const auto blocks = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
    if (wanted.channels.size() * blocks != scales.size())
        throw bad_input("override for \"{}\" has scales of {} channels and {} blocks, which do not fit {}", escape(key),
                        wanted.channels.size(), scales.size(), to_string(shape));
    for (size_t i = 0; i < scales.size(); ++i) scales[i] *= wanted.channels[channel_of_block(shape, axis, i)];
    return scales;
}

Encoding override_encoding(const Override& wanted, const Dims& dims, int weight_axis, std::string_view key) {
    const bool many = wanted.scale.size() > 1 || wanted.block > 0 || wanted.axis >= 0;
    const int default_axis = wanted.block > 0 && dims.size() == 2 && weight_axis >= 0 ? 1 - weight_axis : weight_axis;
    const int axis = !many ? -1 : wanted.axis >= 0 ? wanted.axis : default_axis;
    if (many && (axis < 0 || static_cast<size_t>(axis) >= dims.size()))
        throw bad_input("override for \"{}\" has {} scales, need 1", escape(key), wanted.scale.size());
    Dims shape;
    if (many) shape = {static_cast<int64_t>(wanted.scale.size())};
    if (wanted.block > 0) {
        shape = dims;
        int64_t& along = shape[static_cast<size_t>(axis)];
        along = (along + wanted.block - 1) / wanted.block;
    }
    if (count_of(shape) != static_cast<int64_t>(wanted.scale.size()) ||
        (many && wanted.block == 0 && dims[static_cast<size_t>(axis)] != shape[0]))
        throw bad_input("override for \"{}\" has {} scales, which do not fit {}", escape(key), wanted.scale.size(), to_string(dims));
    Encoding e = make_encoding(wanted.storage, Tensor::make<float>(shape, scales_of(wanted, shape, axis, key)), {}, axis, wanted.symmetric);
    e.block = wanted.block;
    if (is_integer(wanted.storage))
        e.zero = from_ints(wanted.storage, shape, wanted.zero.empty() ? std::vector<int64_t>(wanted.scale.size(), 0) : wanted.zero);
    return e;
}

std::set<std::string> kept_float(const Graph& graph) {
    const auto found = graph.metadata.find(std::string(keep_float_key));
    if (found == graph.metadata.end()) return {};
    const Json document = parse_json(found->second);
    const JsonView json(document, std::string(keep_float_key));
    std::set<std::string> names;
    for (size_t i = 0; i < json.size(); ++i) names.insert(json.at(i).text());
    return names;
}

QuantReport quantize_graph(Graph& graph, const Ranges* ranges, const QuantOptions& given, ThreadPool& pool) {
    QuantOptions options = given;
    options.keep_float.merge(kept_float(graph));
    localize_constants(graph);
    Statistics statistics(ranges);
    statistics.name_values(graph, "");
    search_ahead(graph, statistics, options, pool);
    QuantReport report;
    report.type = options.scheme ? std::string(options.scheme->name) : "none";
    if (ranges) report.samples = ranges->samples;
    std::vector<WeightJob> jobs;
    // In Circle files such products are hybrid, whatever they are called.
    const bool circle = std::ranges::any_of(graph.metadata, [](const auto& entry) { return entry.first.starts_with("circle."); });
    const bool tflite = own_profile_name(graph) == "tflite" && (options.recipe || !circle);
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
        const GraphPlan plan = plan_graph(part, path, options, insight);
        if (std::ranges::any_of(plan.nodes, [](const auto& item) { return item.second.reason == never_ran_reason; }))
            report.unvisited.push_back(path.substr(0, path.size() - 1));
        assign_activations(part, path.empty(), plan, statistics, options, report);
        assign_channel_constants(part, path, plan, options, report);
        assign_dynamic_lstms(part, path, plan, options, report);
        assign_dynamic(part, plan);
        assign_lstms(part, path, plan, statistics, options, report);
        add_weight_jobs(part, path, plan, options, jobs);
        place_recodes(part);
        mark_weight_only(part, plan, tflite);
        report_nodes(part, path, plan, report);
    });
    check_rules(graph, options, report);
    run_weight_jobs(jobs, options, report, pool);
    for_each_graph(graph, [&](Graph& part, const std::string& path) { narrow_floats(part, path, options, report); });
    if (options.overrides)
        for (const auto& [name, wanted] : *options.overrides)
            if (is_scaled(wanted.storage) && !report.find(name)) report.unapplied.push_back(name);
    if (options.measured) locate(graph, report);
    return report;
}

}  // namespace quern
