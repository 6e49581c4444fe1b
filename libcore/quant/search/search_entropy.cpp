// Range search by Kullback-Leibler divergence. The histogram is laid out on even bins of |x|, 64 for each code of the whole range and
// four or more for each code of the narrowest window: with fewer, narrow windows would tell all bins apart and always win.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/search/search.h"

namespace quern {
namespace {

constexpr size_t bins_per_level = 64, least_per_level = 4;
constexpr double smoothing = 1e-4;
constexpr double most_outside = 1e-4;  // share of the numbers: divergence does not see how far away they are

// Zeros have a code of their own on every grid: they are left out, for where they are most of the numbers they would hide all others.
std::vector<double> even_bins(const std::vector<Mass>& masses, double span, size_t bin_count) {
    std::vector<double> bins(bin_count);
    const double width = span / static_cast<double>(bin_count);
    for (const Mass& mass : masses) {
        if (mass.lo == 0 && mass.hi == 0) continue;
        double a = std::min(std::abs(mass.lo), std::abs(mass.hi)), b = std::max(std::abs(mass.lo), std::abs(mass.hi));
        const auto first = std::min(static_cast<size_t>(a / width), bin_count - 1),
                   last = std::min(static_cast<size_t>(b / width), bin_count - 1);
        for (size_t i = first; i <= last; ++i) {
            const double lo = std::max(a, static_cast<double>(i) * width),
                         hi = i == last ? b : std::min(b, static_cast<double>(i + 1) * width);
            bins[i] += b > a ? mass.weight * (hi - lo) / (b - a) : mass.weight;
        }
    }
    return bins;
}

size_t step_of(size_t levels) { return levels / 2; }  // from window to window, in bins

// The first window, in bins, that leaves out few enough numbers; the number of bins or more if the whole range is the only one, as that of
// a few numbers is, the greatest of which is more than its share.
size_t narrowest_window(const std::vector<double>& bins, size_t levels) {
    const double allowed = most_outside * std::accumulate(bins.begin(), bins.end(), 0.0);
    size_t window = bins.size();
    for (double outside = 0; window > 0 && (outside += bins[window - 1]) <= allowed;) --window;
    const size_t first = least_per_level * levels, step = step_of(levels);
    return window <= first ? first : first + (window - first + step - 1) / step * step;
}

double times_log(double x) { return x > 0 ? x * portable::log(x) : 0; }

// Sums over the bins before each: a divergence is then a sum over the codes, not over the bins.
class Divergence {
   public:
    explicit Divergence(const std::vector<double>& bins) : bins_(bins) {
        counts_.reserve(bins.size() + 1);
        logs_.reserve(bins.size() + 1);
        used_.reserve(bins.size() + 1);
        for (const double count : bins) {
            counts_.push_back(counts_.back() + count);
            used_.push_back(used_.back() + (count > 0));
            logs_.push_back(logs_.back() + times_log(count));
        }
    }

    // Of the first `window` bins (what lies outside folded into the last) from themselves told apart by `levels` codes only.
    double of(size_t window, size_t levels) const {
        const double told = counts_[window], total = counts_.back(), outside = total - told,
                     least = smoothing / static_cast<double>(window);
        if (total <= 0) return 0;
        const double last = bins_[window - 1] + outside;
        double sum = logs_[window - 1] + times_log(last) - times_log(total);
        for (size_t level = 0; level < levels; ++level) {
            const size_t begin = level * window / levels, end = (level + 1) * window / levels;
            const size_t used = used_[end] - used_[begin];
            const bool ends = end == window, last_used = bins_[window - 1] > 0;
            if (ends && !last_used) sum -= last * portable::log(least);
            if (used == 0) continue;
            const double count = counts_[end] - counts_[begin], share = count / static_cast<double>(used) / told;
            sum -= (count + (ends && last_used ? outside : 0)) * portable::log(std::max(share, least));
        }
        return sum / total;
    }

   private:
    const std::vector<double>& bins_;
    std::vector<double> counts_{0}, logs_{0};
    std::vector<size_t> used_{0};
};

}  // namespace

RealRange search_entropy(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    const double span = std::max(-observed.lo, observed.hi);
    if (span <= 0) return observed;
    const auto codes = static_cast<size_t>(spec.qmax - spec.qmin + 1);
    if (codes > 1024) return observed;  // as fine as the bins that were counted
    // Codes for |x|: all of them if the numbers have one sign and the zero point may move, else half.
    const bool one_sided = !spec.symmetric && (observed.lo == 0 || observed.hi == 0);
    const size_t levels = std::clamp<size_t>(one_sided ? codes : codes / 2, 2, 256), bin_count = bins_per_level * levels;
    const auto bins = even_bins(masses_of(value), span, bin_count);
    const size_t narrowest = narrowest_window(bins, levels);
    if (narrowest >= bin_count) return observed;
    const Divergence divergence(bins);
    size_t best = bin_count;
    double least = divergence.of(bin_count, levels);
    for (size_t window = narrowest; window < bin_count; window += step_of(levels))
        if (const double found = divergence.of(window, levels); found < least) {
            least = found;
            best = window;
        }
    const double limit = span * static_cast<double>(best) / static_cast<double>(bin_count);
    return {std::max(observed.lo, -limit), std::min(observed.hi, limit)};
}

}  // namespace quern
