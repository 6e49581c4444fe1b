#include "libcore/quant/algorithms/layer_rows.h"

#include <algorithm>

#include "libcore/quant/algorithms/patches.h"
#include "libcore/quant/algorithms/value_runs.h"

namespace quern {
namespace {

constexpr size_t most_bytes = size_t{256} << 20;

// Sums of a window of samples, added in the order of the samples, whatever thread made them.
class OrderedMeans {
   public:
    OrderedMeans(size_t samples, size_t columns) : sums_(samples), counts_(samples), total_(columns, 0.0) {}
    std::vector<double>& begin(size_t i, size_t count) {
        counts_[i] = count;
        sums_[i].assign(total_.size(), 0.0);
        return sums_[i];
    }
    void add(size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            for (size_t k = 0; k < total_.size(); ++k) total_[k] += sums_[i][k];
            count_ += counts_[i];
            std::vector<double>().swap(sums_[i]);
        }
    }
    std::vector<double> means() const {
        std::vector<double> means = total_;
        for (double& mean : means) mean /= static_cast<double>(std::max<size_t>(count_, 1));
        return means;
    }

   private:
    std::vector<std::vector<double>> sums_;
    std::vector<size_t> counts_;
    std::vector<double> total_;
    size_t count_ = 0;
};

// The rows that samples hand in: `quota` of each, at the middle of equal parts of its positions.
class Gatherer {
   public:
    Gatherer(const LayerPair& pair, const SampleFeed& feed, size_t most, bool means, ThreadPool& pool)
        : pair_(pair), feed_(feed), pool_(pool), means_(means) {
        const size_t each = (pair.real.columns() + pair.real.outs) * sizeof(float);
        most = std::min(most, std::max<size_t>(most_bytes / each, 64));
        samples_ = spread_samples(feed, most);
        quota_ = std::max<size_t>(most / std::max<size_t>(samples_.size(), 1), 1);
        taken_.resize(samples_.size());
    }

    LayerRows run() {
        LayerRows found;
        found.depth = pair_.real.depth;
        found.outs = pair_.real.outs;
        gather_results(found);
        gather_inputs(found);
        return found;
    }

   private:
    size_t row_of(size_t count, size_t i, size_t taken) const { return (2 * i + 1) * count / (2 * taken); }

    void gather_results(LayerRows& found) {
        const Layer& layer = pair_.real;
        OrderedMeans means(samples_.size(), layer.outs);
        std::vector<std::vector<float>> rows(samples_.size());
        ValueRuns runs(pair_.reference, Mode::floating, {layer.input, layer.output}, feed_, pool_);
        const auto see = [&](size_t i, const std::vector<Tensor>& tensors) {
            const Patches patches(pair_.reference, layer, tensors[0].dims);
            const auto numbers = tensors[1].view<float>();
            std::vector<double>& sums = means.begin(i, patches.count());
            for (size_t r = 0; means_ && r < patches.count(); ++r)
                for (size_t o = 0; o < layer.outs; ++o) sums[o] += static_cast<double>(numbers[patches.output_at(r, o)]);
            taken_[i] = std::min(quota_, patches.count());
            for (size_t k = 0; k < taken_[i]; ++k)
                for (size_t o = 0; o < layer.outs; ++o)
                    rows[i].push_back(numbers[patches.output_at(row_of(patches.count(), k, taken_[i]), o)]);
        };
        runs.run(samples_, see, [&](size_t begin, size_t end) { means.add(begin, end); });
        found.mean_y = means.means();
        for (const size_t taken : taken_) found.rows += taken;
        found.y.resize(found.rows * found.outs);
        size_t row = 0;
        for (const auto& some : rows) {
            for (size_t k = 0; k < some.size(); ++k) found.y[k % found.outs * found.rows + row + k / found.outs] = some[k];
            row += some.size() / found.outs;
        }
    }

    void gather_inputs(LayerRows& found) {
        const Layer& layer = pair_.own;
        std::vector<size_t> first(samples_.size(), 0);
        for (size_t i = 1; i < first.size(); ++i) first[i] = first[i - 1] + taken_[i - 1];
        found.x.resize(layer.groups * found.rows * found.depth);
        OrderedMeans means(samples_.size(), layer.columns());
        ValueRuns runs(pair_.graph, Mode::fake, {layer.input}, feed_, pool_);
        const auto see = [&](size_t i, const std::vector<Tensor>& tensors) {
            const Patches patches(pair_.graph, layer, tensors[0].dims);
            const auto numbers = tensors[0].view<float>();
            std::vector<double>& sums = means.begin(i, patches.count());
            std::vector<float> row(layer.columns());
            size_t next = 0;
            for (size_t r = 0; r < patches.count(); ++r) {
                const bool taken = next < taken_[i] && r == row_of(patches.count(), next, taken_[i]);
                if (!taken && !means_) continue;
                patches.row(numbers.data(), r, row.data());
                for (size_t k = 0; means_ && k < row.size(); ++k) sums[k] += static_cast<double>(row[k]);
                if (!taken) continue;
                for (size_t g = 0; g < layer.groups; ++g)
                    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(g * layer.depth), layer.depth,
                                found.x.begin() + static_cast<std::ptrdiff_t>((g * found.rows + first[i] + next) * layer.depth));
                ++next;
            }
        };
        runs.run(samples_, see, [&](size_t begin, size_t end) { means.add(begin, end); });
        found.mean_x = means.means();
    }

    const LayerPair& pair_;
    const SampleFeed& feed_;
    ThreadPool& pool_;
    bool means_;
    std::vector<uint64_t> samples_;
    size_t quota_;
    std::vector<size_t> taken_;  // rows of each sample
};

}  // namespace

LayerRows gather_rows(const LayerPair& pair, const SampleFeed& feed, size_t most, bool means, ThreadPool& pool) {
    return Gatherer(pair, feed, most, means, pool).run();
}

}  // namespace quern
