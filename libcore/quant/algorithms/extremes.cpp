#include "libcore/quant/algorithms/extremes.h"

#include <algorithm>
#include <limits>

#include "libcore/quant/algorithms/value_runs.h"

namespace quern {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ChannelExtremes from_ranges(const AlgorithmRun& run, const ChannelValue& value) {
    if (!run.ranges) return {};
    const std::string& name = run.graph.value(value.id).name;
    const auto found = run.ranges->values.find(name);
    if (found == run.ranges->values.end()) return {};
    const ValueRange& range = found->second;
    if (range.axis != value.axis || range.channel_min.size() != value.channels) return {};
    ChannelExtremes extremes{{range.channel_min.begin(), range.channel_min.end()}, {range.channel_max.begin(), range.channel_max.end()}};
    const auto changed = run.changed.find(name);
    if (changed == run.changed.end()) return extremes;
    for (size_t c = 0; c < value.channels; ++c)
        for (double* extreme : {&extremes.least[c], &extremes.most[c]})
            *extreme = *extreme * changed->second.scale[c] + changed->second.shift[c];
    return extremes;
}

void add(ChannelExtremes& extremes, size_t channel, double least, double most) {
    extremes.least[channel] = std::min(extremes.least[channel], least);
    extremes.most[channel] = std::max(extremes.most[channel], most);
}

ChannelExtremes nothing_seen(size_t channels) {
    return {std::vector<double>(channels, infinity), std::vector<double>(channels, -infinity)};
}

ChannelExtremes of_tensor(const Tensor& tensor, const ChannelValue& value) {
    ChannelExtremes extremes = nothing_seen(value.channels);
    const auto inner = static_cast<size_t>(count_of(std::span(tensor.dims).subspan(static_cast<size_t>(value.axis) + 1)));
    const auto numbers = tensor.view<float>();
    extremes.rows = numbers.size() / value.channels;
    for (size_t at = 0; at < numbers.size(); ++at) {
        const auto number = static_cast<double>(numbers[at]);
        add(extremes, at / inner % value.channels, number, number);
    }
    return extremes;
}

void add(ChannelExtremes& extremes, const ChannelExtremes& one) {
    for (size_t c = 0; c < one.least.size(); ++c) add(extremes, c, one.least[c], one.most[c]);
    extremes.rows += one.rows;
}

}  // namespace

std::vector<ChannelExtremes> channel_extremes(const AlgorithmRun& run, const std::vector<ChannelValue>& values, bool counted) {
    std::vector<ChannelExtremes> found;
    std::vector<ValueId> wanted;
    std::vector<size_t> places;  // of what is wanted in `found`
    for (const ChannelValue& value : values) {
        found.push_back(counted ? ChannelExtremes() : from_ranges(run, value));
        if (found.back().known() || !run.options.feed) continue;
        found.back() = nothing_seen(value.channels);
        wanted.push_back(value.id);
        places.push_back(found.size() - 1);
    }
    if (wanted.empty() || !run.options.feed) return found;
    const std::vector<uint64_t> samples = spread_samples(*run.options.feed, run.options.feed->count);
    std::vector<std::vector<ChannelExtremes>> seen(samples.size());
    ValueRuns runs(run.graph, Mode::floating, *run.options.feed, run.pool);
    const auto see = [&](size_t i, const std::vector<Tensor>& tensors) {
        for (size_t v = 0; v < wanted.size(); ++v) seen[i].push_back(of_tensor(tensors[v], values[places[v]]));
    };
    runs.run(wanted, samples, see, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            for (size_t v = 0; v < wanted.size(); ++v) add(found[places[v]], seen[i][v]);
            seen[i].clear();
        }
    });
    return found;
}

}  // namespace quern
