#include "libcore/quant/algorithms/apply.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/edit.h"
#include "libcore/quant/algorithms/choice.h"

namespace quern {
namespace {

Ranges measured(const Graph& graph, const std::string& lineage, const SampleFeed& feed, const CollectOptions& options) {
    std::string text;
    collect_ranges(graph, lineage, feed, options, [](uint64_t) {})->write([&](std::string_view part) { text += part; });
    return parse_ranges(text);
}

// With the extremes of as many runs as the ranges `before` have, else of those that are looked at.
Ranges measured(const Graph& graph, const std::string& lineage, const std::optional<Ranges>& before, const QuantWork& work,
                const AlgorithmOptions& options, ThreadPool& pool) {
    CollectOptions collect;
    collect.threads = pool.size();
    collect.all_runs = before ? before->has_all_runs() : goes_by_runs(work);
    return measured(graph, lineage, *options.feed, collect);
}

// Of ranges that have sums, else of the samples.
std::map<std::string, ChannelMeans> means_of(const Graph& graph, const std::optional<Ranges>& ranges, const SampleFeed* feed,
                                             ThreadPool& pool) {
    std::map<std::string, ChannelMeans> means;
    const auto take = [&](const Ranges& from) {
        for (const auto& [name, range] : from.values)
            if (!range.channel_sum.empty()) means.emplace(name, ChannelMeans{range.axis, range.channel_means()});
    };
    if (ranges) take(*ranges);
    CollectOptions collect;
    collect.threads = pool.size();
    collect.histogram = false;
    collect.per_channel = true;
    if (means.empty() && feed) take(measured(graph, "", *feed, collect));
    return means;
}

void rescale(Ranges& ranges, const ChangedValues& changed) {
    const std::vector<std::string> unknown = rescale_ranges(ranges, changed);
    if (unknown.empty()) return;
    throw usage_error("the algorithms change {} value{} whose ranges by channel are not known: {}", unknown.size(),
                      unknown.size() > 1 ? "s" : "", join(unknown, ", "))
        .with_hint("give samples (--input-list, --input) to measure them again, or ranges of minmax-collect --per-channel");
}

}  // namespace

void check_samples(const AlgorithmChoice& choice, const SampleFeed* feed) {
    for (const Algorithm* row : choice.all())
        if (row->samples && !feed) throw usage_error("algorithm {} needs samples", row->name).with_hint("give --input-list or --input");
}

std::vector<AlgorithmReport> run_before(Graph& graph, std::optional<Ranges>& ranges, const std::string& lineage, QuantWork& work,
                                        AlgorithmOptions& options, ThreadPool& pool) {
    std::vector<AlgorithmReport> reports;
    ChangedValues changed;
    const AlgorithmChoice choice(options.chosen, work.request.rules);
    if (choice.any()) localize_constants(graph);  // layers of bodies have theirs
    const bool needed = ranges || work.request.scheme->full() || (work.request.rules && work.request.rules->need_ranges());
    // Whether a Mul gains something is seen of what the quantizer makes, which needs ranges.
    if (options.smooth_mul != SmoothMul::none && options.feed && needed && !ranges)
        ranges = measured(graph, lineage, ranges, work, options, pool);
    AlgorithmRun run{.graph = graph,
                     .reference = graph,
                     .ranges = ranges ? &*ranges : nullptr,
                     .work = work,
                     .options = options,
                     .pool = pool,
                     .changed = changed,
                     .choice = choice};
    run.dividers = &work.dividers;
    for (const Algorithm* row : choice.all()) {
        if (!row->before) continue;
        run.row = row;
        AlgorithmReport report = row->before(run);
        if (!row->after) reports.push_back(std::move(report));
    }
    rescale_normals(options.normals, changed);
    if (options.feed && needed && (!changed.empty() || !ranges))
        ranges = measured(graph, lineage, ranges, work, options, pool);
    else if (ranges)
        rescale(*ranges, changed);
    if (std::ranges::any_of(choice.all(), &Algorithm::means)) options.means = means_of(graph, ranges, options.feed, pool);
    return reports;
}

std::vector<AlgorithmReport> run_between(Graph& graph, Ranges& ranges, const QuantWork& work, const AlgorithmOptions& options,
                                         ThreadPool& pool) {
    std::vector<AlgorithmReport> reports;
    ChangedValues none;
    const AlgorithmChoice choice(options.chosen, work.request.rules);
    AlgorithmRun run{.graph = graph,
                     .reference = graph,
                     .ranges = &ranges,
                     .work = work,
                     .options = options,
                     .pool = pool,
                     .changed = none,
                     .choice = choice};
    for (const Algorithm* row : choice.all()) {
        if (!row->between) continue;
        run.row = row;
        reports.push_back(row->between(run, ranges));
    }
    return reports;
}

std::vector<AlgorithmReport> run_after(const Graph& reference, Graph& graph, const QuantWork& work, const AlgorithmOptions& options,
                                       ThreadPool& pool) {
    std::vector<AlgorithmReport> reports;
    ChangedValues none;
    const AlgorithmChoice choice(options.chosen, work.request.rules);
    AlgorithmRun run{.graph = graph,
                     .reference = reference,
                     .ranges = nullptr,
                     .work = work,
                     .options = options,
                     .pool = pool,
                     .changed = none,
                     .choice = choice};
    for (const Algorithm* row : choice.all()) {
        if (!row->after) continue;
        run.row = row;
        reports.push_back(row->after(run));
    }
    return reports;
}

}  // namespace quern
