// Sequential re-calibration: ranges of activations are set last, with what is before them quantized. Nagel et al. 2021, "A White Paper on
// Neural Network Quantization", section 3, sets them after the weights; layer by layer it goes as in sequential AdaQuant of Hubara et al.
// 2020, "Improving Post Training Neural Quantization".
//
// Values are taken by their depth, the number of encoded values on the longest way to them: those of a depth do not see each other, so one
// run over the samples measures them all. Then the quantizer runs again with what was measured.
#include <algorithm>
#include <limits>
#include <mutex>

#include "libcore/base/loan.h"
#include "libcore/base/text.h"
#include "libcore/quant/algorithms/choice.h"
#include "libcore/quant/algorithms/value_runs.h"
#include "libcore/quant/ranges/observe.h"

namespace quern {
namespace {

using Names = std::vector<std::string>;

Graph quantized(const AlgorithmRun& run, const Ranges& ranges) {
    Graph graph = run.graph;
    quantize_graph(graph, &ranges, run.work, run.pool);
    return graph;
}

bool is_encoded(const Value& value) { return value.enc && value.enc->is_fixed() && is_integer(value.enc->storage); }

// Masks keep what they have: their least number stands for minus infinity. So do parts of nodes that were spelled out.
bool is_measured(const AlgorithmRun& run, const Value& value, const Ranges& ranges) {
    const auto known = ranges.values.find(value.name);
    const ValueId id = run.graph.find(value.name);
    if (!is_encoded(value) || known == ranges.values.end() || id == ValueId::none) return false;
    const NodeId maker = run.graph.value(id).producer;
    if (maker == NodeId::none || known->second.min == std::numeric_limits<float>::lowest()) return false;
    return run.takes(run.graph.node(maker)) && !run.work.spelled.contains(run.graph.node(maker).name);
}

// By depth.
std::vector<Names> waves_of(const AlgorithmRun& run, const Graph& graph, const Ranges& ranges) {
    std::vector<Names> waves;
    std::vector<size_t> depth(graph.value_count(), 0);
    for (const NodeId id : graph.topo()) {
        const Node& node = graph.node(id);
        size_t before = 0;
        for (const ValueId in : node.in)
            if (in != ValueId::none) before = std::max(before, depth[index_of(in)]);
        for (const ValueId out : node.out) {
            if (out == ValueId::none) continue;
            const bool measured = is_measured(run, graph.value(out), ranges);
            depth[index_of(out)] = before + (measured ? 1 : 0);
            if (!measured) continue;
            waves.resize(std::max(waves.size(), before + 1));
            waves[before].push_back(graph.value(out).name);
        }
    }
    return waves;
}

// What threads have seen of the wanted values; adding up is exact, whichever saw what.
class Measurement {
   public:
    // all_runs: their extremes are kept of all samples, not of the usual ones only.
    Measurement(const AlgorithmRun& run, size_t values, bool all_runs)
        : feed_(*run.options.feed), all_runs_(all_runs), runs_(values), left_out_(values) {
        for (int i = 0; i < run.pool.size(); ++i) {
            lanes_.emplace_back();
            for (size_t v = 0; v < values; ++v) lanes_.back().emplace_back(true);
        }
        for (Lane& lane : lanes_) free_.put(&lane);
    }

    void see(uint64_t sample, const std::vector<Tensor>& tensors) {
        const FreeList<Lane>::Loan lane(free_);
        for (size_t v = 0; v < tensors.size(); ++v) {
            const std::vector<float> numbers = to_floats(tensors[v]);
            each_row(rows_of(feed_, sample), numbers, tensors[v].dims, [&](uint64_t row, std::span<const float> own, const Dims& dims) {
                const Extremes seen = (*lane.operator->())[v].add(own, dims);
                const uint64_t index = feed_.index(sample) + row;
                const std::scoped_lock lock(mutex_);
                if (!seen.seen()) return;
                if (keeps_run(index, all_runs_))
                    runs_[v][index] = {seen.min, seen.max};
                else
                    ++left_out_[v];
            });
        }
    }

    ValueRange range(size_t value) const {
        ValueRange range;
        for (const Lane& lane : lanes_) lane[value].add_to(range);
        if (range.count > 0) range.runs = runs_[value];
        range.runs_left_out = left_out_[value];
        return range;
    }

   private:
    using Lane = std::vector<ValueStatistics>;
    const SampleFeed& feed_;
    const bool all_runs_;
    std::vector<Lane> lanes_;
    FreeList<Lane> free_;
    std::mutex mutex_;
    std::vector<std::map<uint64_t, std::pair<float, float>>> runs_;
    std::vector<uint64_t> left_out_;
};

// Of these values, which are not rounded themselves; those that the quantizer encodes no more are left out.
std::map<std::string, ValueRange> measured(const AlgorithmRun& run, Graph graph, const Names& names, bool all_runs) {
    std::vector<ValueId> wanted;
    for (const std::string& name : names)
        if (const ValueId id = graph.find(name); id != ValueId::none && is_encoded(graph.value(id))) wanted.push_back(id);
    std::map<std::string, ValueRange> found;
    if (wanted.empty()) return found;
    for (const ValueId id : wanted) graph.value(id).enc.reset();
    Measurement measurement(run, wanted.size(), all_runs);
    const std::vector<uint64_t> samples = spread_samples(*run.options.feed, run.options.feed->count);
    ValueRuns runs(graph, Mode::fake, *run.options.feed, run.pool);
    runs.run(wanted, samples, [&](size_t i, const std::vector<Tensor>& tensors) { measurement.see(samples[i], tensors); });
    for (size_t v = 0; v < wanted.size(); ++v) found[graph.value(wanted[v]).name] = measurement.range(v);
    return found;
}

LayerGain gain_of(const AlgorithmRun& run, const std::string& value, const ValueRange& before, const ValueRange& after) {
    const Node& maker = run.graph.node(run.graph.value(run.graph.find(value)).producer);
    LayerGain gain{.layer = maker.name, .changed = before.min != after.min || before.max != after.max};
    gain.note =
        fmt::format("range of \"{}\" {:.4g} to {:.4g}, was {:.4g} to {:.4g}", escape(value), after.min, after.max, before.min, before.max);
    return gain;
}

}  // namespace

AlgorithmReport recalibrate(AlgorithmRun& run, Ranges& ranges) {
    AlgorithmReport report{"recalibrate", ""};
    Graph graph = quantized(run, ranges);
    const std::vector<Names> waves = waves_of(run, graph, ranges);
    const bool all_runs = ranges.has_all_runs();
    for (size_t wave = 0; wave < waves.size(); ++wave) {
        if (wave > 0) graph = quantized(run, ranges);
        for (auto& [name, range] : measured(run, graph, waves[wave], all_runs)) {
            if (range.count == 0) continue;
            report.layers.push_back(gain_of(run, name, ranges.values[name], range));
            ranges.values[name] = std::move(range);
        }
    }
    return report;
}

}  // namespace quern
