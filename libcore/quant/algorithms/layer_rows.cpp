#include "libcore/quant/algorithms/layer_rows.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/quant/algorithms/patches.h"

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
    Gatherer(const LayerPair& pair, LayerRuns& reference, LayerRuns& graph, const SampleFeed& feed, size_t most, bool means)
        : pair_(pair), reference_(reference), graph_(graph), means_(means) {
        const size_t each = (pair.real.columns() + pair.real.outs) * sizeof(float);
        most = std::min(most, std::max<size_t>(most_bytes / each, 64));
        samples_ = spread_samples(feed, most);
        quota_ = std::max<size_t>(most / std::max<size_t>(samples_.size(), 1), 1);
        taken_.resize(samples_.size());
        counts_.resize(samples_.size());
    }

    LayerRows run() {
        LayerRows found;
        found.depth = pair_.real.depth;
        found.outs = pair_.real.outs;
        gather_results(found);
        if (found.rows == 0)
            found.missing = fmt::format("no sample ran \"{}\"", escape(pair_.path.substr(0, pair_.path.size() - 1)));
        else
            gather_inputs(found);
        return found;
    }

   private:
    size_t row_of(size_t count, size_t i, size_t taken) const { return (2 * i + 1) * count / (2 * taken); }

    // Calls fn(number, position, patches, meeting) for each row of a sample; `number` of those that are taken, else -1.
    template <class Fn>
    void each_row(const Graph& graph, const Layer& layer, const Meetings& meetings, size_t count, size_t taken, const Fn& fn) const {
        size_t first = 0, next = 0;
        for (const Meeting& meeting : meetings) {
            const Patches patches(graph, layer, meeting.input.dims);
            for (size_t r = 0; r < patches.count(); ++r) {
                const bool take = next < taken && first + r == row_of(count, next, taken);
                if (take || means_) fn(take ? static_cast<std::ptrdiff_t>(next) : -1, r, patches, meeting);
                next += take ? 1 : 0;
            }
            first += patches.count();
        }
    }

    static size_t count_of(const Graph& graph, const Layer& layer, const Meetings& meetings) {
        size_t count = 0;
        for (const Meeting& meeting : meetings) count += Patches(graph, layer, meeting.input.dims).count();
        return count;
    }

    void gather_results(LayerRows& found) {
        const Layer& layer = pair_.real;
        OrderedMeans means(samples_.size(), layer.outs);
        std::vector<std::vector<float>> rows(samples_.size());
        const auto see = [&](size_t i, const Meetings& meetings) {
            counts_[i] = count_of(pair_.reference, layer, meetings);
            taken_[i] = std::min(quota_, counts_[i]);
            std::vector<double>& sums = means.begin(i, counts_[i]);
            each_row(pair_.reference, layer, meetings, counts_[i], taken_[i],
                     [&](std::ptrdiff_t number, size_t r, const Patches& patches, const Meeting& meeting) {
                         const auto numbers = meeting.output.view<float>();
                         for (size_t o = 0; means_ && o < layer.outs; ++o) sums[o] += static_cast<double>(numbers[patches.output_at(r, o)]);
                         for (size_t o = 0; number >= 0 && o < layer.outs; ++o) rows[i].push_back(numbers[patches.output_at(r, o)]);
                     });
        };
        reference_.run(pair_.reference, layer, true, samples_, see, [&](size_t begin, size_t end) { means.add(begin, end); });
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
        std::vector<uint8_t> differs(samples_.size(), 0);
        const auto see = [&](size_t i, const Meetings& meetings) {
            differs[i] = count_of(pair_.graph, layer, meetings) != counts_[i] ? 1 : 0;
            std::vector<double>& sums = means.begin(i, counts_[i]);
            if (differs[i]) return;
            std::vector<float> row(layer.columns());
            each_row(pair_.graph, layer, meetings, counts_[i], taken_[i],
                     [&](std::ptrdiff_t number, size_t r, const Patches& patches, const Meeting& meeting) {
                         patches.row(meeting.input.view<float>().data(), r, row.data());
                         for (size_t k = 0; means_ && k < row.size(); ++k) sums[k] += static_cast<double>(row[k]);
                         for (size_t g = 0; number >= 0 && g < layer.groups; ++g)
                             std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(g * layer.depth), layer.depth,
                                         found.x.begin() + static_cast<std::ptrdiff_t>(
                                                               (g * found.rows + first[i] + static_cast<size_t>(number)) * layer.depth));
                     });
        };
        graph_.run(pair_.graph, layer, false, samples_, see, [&](size_t begin, size_t end) { means.add(begin, end); });
        found.mean_x = means.means();
        if (std::ranges::find(differs, 1) != differs.end()) found.missing = "its body runs more or less often when it is quantized";
    }

    const LayerPair& pair_;
    LayerRuns &reference_, &graph_;
    bool means_;
    std::vector<uint64_t> samples_;
    size_t quota_;
    std::vector<size_t> counts_, taken_;  // rows of each sample, and how many of them are taken
};

}  // namespace

LayerRows RowGatherer::gather(const LayerPair& pair) { return Gatherer(pair, reference_, graph_, feed_, most_, means_).run(); }

}  // namespace quern
