#include "libcore/quant/algorithms/refine.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

std::string why_not(const Graph& graph, const Layer& layer) {
    const auto& encoding = graph.value(layer.weight).enc;
    if (!encoding) return "its weight is not quantized";
    if (!WeightGrid::takes(*encoding)) return "its weight is stored as " + to_string(*encoding);
    return graph.uses(layer.weight).size() > 1 ? "its weight has other readers" : "";
}

}  // namespace

double decibel_of(double signal, double noise) {
    if (noise <= 0) return std::numeric_limits<double>::infinity();
    return 10 * portable::log10(std::max(signal, std::numeric_limits<double>::min()) / noise);
}

Channels::Channels(const Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows)
    : own_(own),
      real_(real),
      rows_(rows),
      grid_(*graph.value(own.weight).enc, *graph.value(own.weight).type.shape.concrete()),
      codes_(to_ints(*graph.constant(own.weight))),
      bias_(own.outs, 0.0f) {
    if (own.bias == ValueId::none) return;
    const Tensor stored = *graph.constant(own.bias);
    const auto& encoding = graph.value(own.bias).enc;
    bias_ = to_floats(encoding ? dequantize(stored, *encoding) : stored);
}

Channel Channels::channel(size_t out) const {
    Channel made{rows_.group(own_.group_of(out)), rows_.results(out), rows_.rows, rows_.depth};
    for (size_t k = 0; k < made.depth; ++k) {
        const size_t at = own_.at(out, k);
        made.weight.push_back(real_[at]);
        made.scale.push_back(grid_.scale(at));
        made.zero.push_back(grid_.zero(at));
    }
    made.qmin = grid_.qmin();
    made.qmax = grid_.qmax();
    made.bias = bias_[out];
    made.bend = own_.bend;
    return made;
}

std::vector<float> Channels::stored(size_t out) const {
    std::vector<float> codes(rows_.depth);
    for (size_t k = 0; k < codes.size(); ++k) codes[k] = static_cast<float>(codes_[own_.at(out, k)]);
    return codes;
}

float dot(const float* x, const float* w, size_t count) {
    constexpr size_t lanes = 8;
    float sums[lanes] = {};
    size_t k = 0;
    for (; k + lanes <= count; k += lanes)
        for (size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[k + lane] * w[k + lane];
    float sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    for (; k < count; ++k) sum += x[k] * w[k];
    return sum;
}

std::vector<float> Channel::nearest() const {
    std::vector<float> codes(depth);
    for (size_t k = 0; k < depth; ++k) codes[k] = std::clamp(__builtin_rintf(weight[k] / scale[k]) + zero[k], qmin, qmax);
    return codes;
}

double Channel::signal(bool judges) const {
    double sum = 0;
    for (size_t r = 0; r < rows; ++r)
        if (is_judge(r) == judges) sum += static_cast<double>(bend(y[r])) * static_cast<double>(bend(y[r]));
    return sum;
}

double Channel::noise(const std::vector<float>& codes, bool judges) const {
    std::vector<float> numbers(depth);
    for (size_t k = 0; k < depth; ++k) numbers[k] = number(k, codes[k]);
    double sum = 0;
    for (size_t r = 0; r < rows; ++r) {
        if (is_judge(r) != judges) continue;
        const double error = static_cast<double>(bend(dot(row(r), numbers.data(), depth) + bias)) - static_cast<double>(bend(y[r]));
        sum += error * error;
    }
    return sum;
}

Refined refine_layer(Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows, const FitGroup& fit,
                     ThreadPool& pool) {
    Value& weight = graph.value(own.weight);
    const Tensor stored = *graph.constant(own.weight);
    std::vector<int64_t> fitted = to_ints(stored);
    std::vector<FitChannel> fits(own.groups);
    pool.run(own.groups, [&](size_t g) { fits[g] = fit(rows.group(g), rows.rows, rows.depth, pool); });
    const Channels channels(graph, own, real, rows);
    std::vector<Refined> parts(own.outs);
    pool.run(own.outs, [&](size_t out) {
        const Channel channel = channels.channel(out);
        const std::vector<float> found = fits[own.group_of(out)](channel);
        parts[out] = {channel.signal(true), channel.noise(channels.stored(out), true), channel.noise(found, true)};
        for (size_t k = 0; k < found.size(); ++k) fitted[own.at(out, k)] = static_cast<int64_t>(found[k]);
    });
    Refined all;
    for (const Refined& part : parts) {
        all.signal += part.signal;
        all.before += part.before;
        all.after += part.after;
    }
    if (all.better()) weight.data = from_ints(stored.dtype, stored.dims, fitted).data;
    return all;
}

namespace {

// The body at `path` of a graph, or the graph.
template <class G>
G& graph_at(G& root, const std::string& path) {
    G* found = &root;
    for_each_graph(root, [&](G& part, const std::string& own) {
        if (own == path) found = &part;
    });
    return *found;
}

void add_pairs(const AlgorithmRun& run, const Graph& reference, const std::string& path, AlgorithmReport& report,
               std::vector<LayerPair>& pairs) {
    const Graph& graph = graph_at<const Graph>(run.graph, path);
    for (const Layer& real : layers_of(reference)) {
        if (!run.takes(reference.node(real.node), path)) continue;
        const std::string& name = reference.node(real.node).name;
        const NodeId id = graph.find_node(name);
        const auto own = id == NodeId::none ? std::nullopt : layer_of(graph, id);
        std::string why = "it has another form in the quantized graph";
        if (own && own->outs == real.outs && own->depth == real.depth) why = why_not(graph, *own);
        if (why.empty())
            pairs.push_back({reference, real, graph, *own, path});
        else
            report.layers.push_back({.layer = path + name, .changed = false, .note = why});
    }
}

}  // namespace

std::vector<LayerPair> layer_pairs(AlgorithmRun& run, AlgorithmReport& report) {
    std::vector<LayerPair> pairs;
    for_each_graph(run.reference, [&](const Graph& part, const std::string& path) { add_pairs(run, part, path, report, pairs); });
    return pairs;
}

Graph& part_of(AlgorithmRun& run, const LayerPair& pair) { return graph_at(run.graph, pair.path); }

std::string name_of(const LayerPair& pair) { return pair.path + pair.reference.node(pair.real.node).name; }

AlgorithmReport refine_weights(AlgorithmRun& run, std::string_view name, const FitGroup& fit) {
    AlgorithmReport report{std::string(name), "its results on rows that were not fitted to"};
    RowGatherer gatherer(run.reference, run.graph, *run.options.feed, run.options.rows, false, run.pool);
    for (const LayerPair& pair : layer_pairs(run, report)) {
        LayerGain gain{.layer = name_of(pair)};
        at_place(fmt::format("{}: node \"{}\"", name, escape(gain.layer)), [&] {
            const LayerRows rows = gatherer.gather(pair);
            gain.note = rows.missing;
            gain.changed = false;
            if (!rows.missing.empty()) return;
            const std::vector<float> real = to_floats(*pair.reference.constant(pair.real.weight));
            const Refined refined = refine_layer(part_of(run, pair), pair.own, real, rows, fit, run.pool);
            gain.before_db = decibel_of(refined.signal, refined.before);
            gain.after_db = decibel_of(refined.signal, refined.better() ? refined.after : refined.before);
            gain.changed = refined.better();
            if (!gain.changed)
                gain.note = fmt::format("stays as it was: the fitted codes give {:.1f} dB", decibel_of(refined.signal, refined.after));
        });
        report.layers.push_back(std::move(gain));
    }
    return report;
}

}  // namespace quern
