// Range search by Kullback-Leibler divergence. The histogram is laid out on even bins of |x|, 64 for each code of the whole range and
// four or more for each code of the narrowest window: with fewer, narrow windows would tell all bins apart and always win.
#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/search.h"

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

// Divergence of the first `window` bins (what lies outside folded into the last) from themselves told apart by `levels` codes only.
double divergence(const std::vector<double>& bins, size_t window, double outside, size_t levels) {
    std::vector<double> told(window);
    for (size_t level = 0; level < levels; ++level) {
        const size_t begin = level * window / levels, end = (level + 1) * window / levels;
        double sum = 0, used = 0;
        for (size_t i = begin; i < end; ++i) {
            sum += bins[i];
            used += bins[i] > 0;
        }
        for (size_t i = begin; i < end; ++i) told[i] = bins[i] > 0 ? sum / used : 0;
    }
    double total = outside, told_total = 0;
    for (size_t i = 0; i < window; ++i) {
        total += bins[i];
        told_total += told[i];
    }
    double sum = 0;
    for (size_t i = 0; i < window; ++i) {
        const double count = bins[i] + (i + 1 == window ? outside : 0);
        if (count <= 0) continue;
        const double p = count / total, q = told_total > 0 ? told[i] / told_total : 0;
        sum += p * portable::log(p / std::max(q, smoothing / static_cast<double>(window)));
    }
    return sum;
}

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
    double total = 0;
    for (const double count : bins) total += count;
    size_t best = bin_count, window = 0;
    double least = divergence(bins, bin_count, 0, levels), beyond = total;
    for (size_t candidate = least_per_level * levels; candidate < bin_count; candidate += levels / 2) {
        for (; window < candidate; ++window) beyond -= bins[window];
        if (beyond > most_outside * total) continue;
        const double d = divergence(bins, candidate, std::max(beyond, 0.0), levels);
        if (d < least) {
            least = d;
            best = candidate;
        }
    }
    const double limit = span * static_cast<double>(best) / static_cast<double>(bin_count);
    return {std::max(observed.lo, -limit), std::min(observed.hi, limit)};
}

}  // namespace quern
