// Range search by Kullback-Leibler divergence. The histogram is laid out on 2048 even bins of |x|, sixteen or more of them to each
// of the codes of the narrowest window, so that there are always candidates to choose from.
#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/quant/search.h"

namespace quern {
namespace {

constexpr size_t bin_count = 2048;
constexpr double smoothing = 1e-4;

std::vector<double> even_bins(const std::vector<Mass>& masses, double span) {
    std::vector<double> bins(bin_count);
    const double width = span / bin_count;
    for (const Mass& mass : masses) {
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
        sum += p * std::log(p / std::max(q, smoothing / static_cast<double>(window)));
    }
    return sum;
}

}  // namespace

RealRange search_entropy(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    const double span = std::max(-observed.lo, observed.hi);
    if (span <= 0) return observed;
    const auto bins = even_bins(masses_of(value), span);
    double beyond = 0;
    for (const double count : bins) beyond += count;
    // Codes for |x|: all of them if the numbers have one sign and the zero point may move, else half.
    const bool one_sided = !spec.symmetric && (observed.lo == 0 || observed.hi == 0);
    const auto codes = static_cast<size_t>(spec.qmax - spec.qmin + 1);
    const size_t levels = std::clamp<size_t>(one_sided ? codes : codes / 2, 2, bin_count / 8);
    size_t best = bin_count, window = 0;
    double least = divergence(bins, bin_count, 0, levels);
    for (size_t candidate = levels; candidate < bin_count; candidate += 8) {
        for (; window < candidate; ++window) beyond -= bins[window];
        const double d = divergence(bins, candidate, std::max(beyond, 0.0), levels);
        if (d < least) {
            least = d;
            best = candidate;
        }
    }
    const double limit = span * static_cast<double>(best) / bin_count;
    return {std::max(observed.lo, -limit), std::min(observed.hi, limit)};
}

}  // namespace quern
