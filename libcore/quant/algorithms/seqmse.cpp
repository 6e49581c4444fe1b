#include "libcore/quant/algorithms/seqmse.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/types/two_level.h"

namespace quern {
namespace {

// The one that is there, and shares of the range.
constexpr size_t choices = seqmse_candidates + 1;

class Search {
   public:
    Search(const Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows)
        : own_(own),
          real_(real),
          rows_(rows),
          encoding_(*graph.value(own.weight).enc),
          grid_(encoding_, *graph.value(own.weight).type.shape.concrete()),
          scales_(to_floats(encoding_.scale)),
          widest_(scales_.size(), 0.0f) {
        for (size_t i = 0; i < real.size(); ++i) {
            float& widest = widest_[grid_.index(i)];
            widest = std::max(widest, std::abs(real[i]) / grid_.qmax());
        }
        if (!encoding_.symmetric()) widest_ = scales_;
    }

    std::vector<float> run(ThreadPool& pool) const {
        std::vector<Errors> found(own_.outs);
        pool.run(own_.outs, [&](size_t out) { found[out] = errors_of(out); });
        Errors all;
        for (const Errors& errors : found)
            for (const auto& [index, own] : errors) {
                auto& sum = all.try_emplace(index, std::vector<double>(choices, 0.0)).first->second;
                for (size_t c = 0; c < choices; ++c) sum[c] += own[c];
            }
        std::vector<float> best = scales_;
        for (const auto& [index, errors] : all)
            best[index] = scale(index, static_cast<size_t>(std::ranges::min_element(errors) - errors.begin()));
        return best;
    }

   private:
    using Errors = std::map<size_t, std::vector<double>>;  // by scale, by choice

    float scale(size_t index, size_t choice) const {
        if (choice == 0) return scales_[index];
        const float share = widest_[index] * static_cast<float>(choice) / static_cast<float>(seqmse_candidates);
        const float stored = to_floats(from_floats(encoding_.scale.dtype, {1}, std::span<const float>(&share, 1)))[0];
        return stored > 0 ? stored : scales_[index];
    }

    Errors errors_of(size_t out) const {
        std::map<size_t, std::vector<size_t>> columns;  // by scale
        for (size_t k = 0; k < own_.depth; ++k) columns[grid_.index(own_.at(out, k))].push_back(k);
        Errors errors;
        for (const auto& [index, some] : columns) {
            std::vector<double>& own = errors[index];
            for (size_t choice = 0; choice < choices; ++choice) own.push_back(error_of(out, some, scale(index, choice)));
        }
        return errors;
    }

    double error_of(size_t out, const std::vector<size_t>& columns, float scale) const {
        std::vector<float> missing(columns.size());
        for (size_t i = 0; i < columns.size(); ++i) {
            const size_t at = own_.at(out, columns[i]);
            const float zero = grid_.zero(at);
            const float code = std::clamp(__builtin_rintf(real_[at] / scale) + zero, grid_.qmin(), grid_.qmax());
            missing[i] = real_[at] - (code - zero) * scale;
        }
        const size_t first = columns.front();
        const bool together = columns.back() - first + 1 == columns.size();
        const float* x = rows_.group(own_.group_of(out));
        double error = 0;
        for (size_t r = 0; r < rows_.rows; ++r) {
            if (is_judge(r)) continue;
            const float* row = x + r * rows_.depth;
            float sum = 0;
            if (together)
                sum = dot(row + first, missing.data(), columns.size());
            else
                for (size_t i = 0; i < columns.size(); ++i) sum += row[columns[i]] * missing[i];
            error += static_cast<double>(sum) * static_cast<double>(sum);
        }
        return error;
    }

    const Layer& own_;
    const std::vector<float>& real_;
    const LayerRows& rows_;
    const Encoding& encoding_;
    WeightGrid grid_;
    std::vector<float> scales_, widest_;  // widest: that covers all numbers
};

// Weight and bias as they are stored.
struct Stored {
    Bytes weight;
    Encoding encoding;
    std::optional<Bytes> bias;
    std::optional<Encoding> bias_encoding;
};

Stored stored_of(const Graph& graph, const Layer& own) {
    const Value& weight = graph.value(own.weight);
    Stored stored{*weight.data, *weight.enc, {}, {}};
    if (own.bias == ValueId::none) return stored;
    stored.bias = graph.value(own.bias).data;
    stored.bias_encoding = graph.value(own.bias).enc;
    return stored;
}

void store(Graph& graph, const Layer& own, const Stored& stored) {
    graph.value(own.weight).data = stored.weight;
    graph.value(own.weight).enc = stored.encoding;
    if (own.bias == ValueId::none) return;
    graph.value(own.bias).data = stored.bias;
    graph.value(own.bias).enc = stored.bias_encoding;
}

// Does the scale of the layer's bias follow from the weight's?
bool follows(const Graph& graph, const Layer& own) {
    if (own.bias == ValueId::none) return false;
    const auto& encoding = graph.value(own.bias).enc;
    return encoding && bits_of(encoding->storage) >= 32;
}

std::string why_not(const Graph& graph, const Layer& own) {
    const Encoding& weight = *graph.value(own.weight).enc;
    if (two_level_of(weight, to_floats(weight.scale))) return "the scales of its blocks have two levels";
    if (!follows(graph, own)) return "";
    const auto& input = graph.value(own.input).enc;
    if (!input || !input->is_fixed() || !input->per_tensor()) return "its input has no scale that its bias follows from";
    return graph.uses(own.bias).size() > 1 ? "its bias has other readers" : "";
}

// The layer with these scales; a bias that would overflow makes them greater again.
Stored with_scales(const Graph& graph, const Layer& own, const Tensor& real, const std::vector<float>& scales) {
    Stored made = stored_of(graph, own);
    made.encoding.scale = from_floats(made.encoding.scale.dtype, made.encoding.scale.dims, scales);
    if (follows(graph, own)) {
        const Encoding& input = *graph.value(own.input).enc;
        const Tensor bias = dequantize(*graph.constant(own.bias), *made.bias_encoding);
        const BiasEncoding fits = bias_encoding(bias, to_floats(input.scale)[0], made.encoding, made.bias_encoding->storage,
                                                sum_bound(real, made.encoding, input));
        made.encoding.scale = fits.weight.scale;
        made.bias_encoding = bias_encoding(bias, to_floats(input.scale)[0], made.encoding, made.bias_encoding->storage).bias;
        made.bias = quantize(bias, *made.bias_encoding).data;
    }
    made.weight = quantize(real, made.encoding).data;
    return made;
}

double noise_of(const Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows, double& signal) {
    const Channels channels(graph, own, real, rows);
    double noise = 0;
    signal = 0;
    for (size_t out = 0; out < own.outs; ++out) {
        const Channel channel = channels.channel(out);
        noise += channel.noise(channels.stored(out), true);
        signal += channel.signal(true);
    }
    return noise;
}

void refine(AlgorithmRun& run, const LayerPair& pair, RowGatherer& gatherer, LayerGain& gain) {
    const LayerRows rows = gatherer.gather(pair);
    gain.note = rows.missing;
    gain.changed = false;
    if (!rows.missing.empty()) return;
    Graph& graph = part_of(run, pair);
    const Tensor weight = *pair.reference.constant(pair.real.weight);
    const std::vector<float> real = to_floats(weight);
    const Stored old = stored_of(graph, pair.own);
    double signal = 0;
    const double before = noise_of(graph, pair.own, real, rows, signal);
    store(graph, pair.own, with_scales(graph, pair.own, weight, sequential_scales(graph, pair.own, real, rows, run.pool)));
    const double after = noise_of(graph, pair.own, real, rows, signal);
    gain.before_db = decibel_of(signal, before);
    gain.after_db = decibel_of(signal, after);
    gain.changed = after < before;
    if (gain.changed) return;
    store(graph, pair.own, old);
    gain.note = fmt::format("stays as it was: the best scales give {:.1f} dB", gain.after_db);
    gain.after_db = gain.before_db;
}

}  // namespace

std::vector<float> sequential_scales(const Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows,
                                     ThreadPool& pool) {
    return Search(graph, own, real, rows).run(pool);
}

AlgorithmReport search_scales(AlgorithmRun& run) {
    AlgorithmReport report{"seqmse", "its results on rows that were not fitted to"};
    RowGatherer gatherer(run.reference, run.graph, *run.options.feed, run.options.rows, false, run.pool);
    for (const LayerPair& pair : layer_pairs(run, report)) {
        LayerGain gain{.layer = name_of(pair), .note = why_not(pair.graph, pair.own)};
        gain.changed = gain.note.empty();
        if (gain.changed) at_place(fmt::format("seqmse: node \"{}\"", escape(gain.layer)), [&] { refine(run, pair, gatherer, gain); });
        report.layers.push_back(std::move(gain));
    }
    return report;
}

}  // namespace quern
