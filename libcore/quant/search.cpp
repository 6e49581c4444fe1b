// Range search: the choice of method, and the searches that need no grid.
#include "libcore/quant/search.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr double headroom = 2;  // of 16-bit activations: half of the codes' 96 dB would do

constexpr std::array rows{
    MethodRow{Method::automatic, "auto", "min-max, clipped where that halves the noise; twice as far on 16 bits"},
    MethodRow{Method::minmax, "min-max", "the observed extremes"},
    MethodRow{Method::moving_average, "moving-average", "moving average of the extremes of each run, in list order"},
    MethodRow{Method::percentile, "percentile", "all but a small share of the values"},
    MethodRow{Method::run_percentile, "run-percentile", "percentiles of the extremes of the runs"},
    MethodRow{Method::mse, "mse", "least mean squared error"},
    MethodRow{Method::sqnr, "sqnr", "least noise, clipping weighted by 3 (tf-enhanced)"},
    MethodRow{Method::entropy, "entropy", "least Kullback-Leibler divergence"},
};

void need_histogram(const ValueRange& value, std::string_view method) {
    if (value.histogram.bins.empty())
        throw bad_input("method {} needs histograms, which these ranges do not have", method)
            .with_hint("collect them with minmax-collect --histograms");
}

// The p-th percentile (0..100) of numbers, interpolated between neighbours.
double percentile_of(std::vector<double> numbers, double p) {
    std::sort(numbers.begin(), numbers.end());
    const double place = p * static_cast<double>(numbers.size() - 1) / 100;
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, numbers.size() - 1);
    return numbers[below] + (numbers[above] - numbers[below]) * (place - static_cast<double>(below));
}

void need_runs(const ValueRange& value, std::string_view method) {
    if (value.runs.empty()) throw bad_input("method {} needs the extremes of each run, which these ranges do not have", method);
}

// Grids of 16 bits are finer than anything needs: they leave room for what other samples will bring. What is known exactly (constants have
// no runs) needs none.
RealRange with_headroom(const ValueRange& value, const RealRange& observed) {
    if (value.runs.empty()) return observed;
    return {observed.lo * headroom, observed.hi * headroom};
}

// Clips only if the noise halves at least, clipped numbers weighted as in the search: rounding levels out in the sums behind a value, what
// clipping takes from a few great numbers does not.
RealRange search_automatic(const ValueRange& value, const GridSpec& spec) {
    const RealRange observed = search_minmax(value);
    if (spec.qmax - spec.qmin > 1023) return with_headroom(value, observed);
    if (value.histogram.bins.empty()) return observed;
    const auto masses = masses_of(value);
    const auto noise = [&](const RealRange& range) {
        const GridError error = grid_error(masses, grid_of(range, spec), spec);
        return error.rounding + 3 * (error.clipping_low + error.clipping_high);
    };
    const RealRange found = search_sqnr(value, spec);
    return noise(found) < 0.5 * noise(observed) ? found : observed;
}

}  // namespace

std::span<const MethodRow> all_methods() { return rows; }

std::string_view name_of(Method method) {
    return std::find_if(rows.begin(), rows.end(), [&](const MethodRow& row) { return row.method == method; })->name;
}

Method method_named(std::string_view name) {
    std::vector<std::string> names;
    for (const MethodRow& row : rows) {
        if (row.name == name) return row.method;
        names.emplace_back(row.name);
    }
    throw usage_error("unknown method \"{}\"{}", escape(name), did_you_mean(name, names));
}

RealRange search_minmax(const ValueRange& value) { return {std::min<double>(value.min, 0), std::max<double>(value.max, 0)}; }

RealRange search_moving_average(const ValueRange& value, double weight, int64_t batch) {
    need_runs(value, "moving-average");
    double lo = 0, hi = 0;
    bool first = true;
    for (auto run = value.runs.begin(); run != value.runs.end(); first = false) {
        double least = run->second.first, greatest = run->second.second;
        for (int64_t i = 0; i < batch && run != value.runs.end(); ++i, ++run) {
            least = std::min<double>(least, run->second.first);
            greatest = std::max<double>(greatest, run->second.second);
        }
        lo += (first ? 1 : weight) * (least - lo);
        hi += (first ? 1 : weight) * (greatest - hi);
    }
    return {std::min(lo, 0.0), std::max(hi, 0.0)};
}

RealRange search_run_percentile(const ValueRange& value, double percent) {
    need_runs(value, "run-percentile");
    std::vector<double> least, greatest;
    for (const auto& [sample, extremes] : value.runs) {
        least.push_back(extremes.first);
        greatest.push_back(extremes.second);
    }
    return {std::min(percentile_of(least, 100 - percent), 0.0), std::max(percentile_of(greatest, percent), 0.0)};
}

RealRange search_percentile(const ValueRange& value, double percent) {
    need_histogram(value, "percentile");
    const auto masses = masses_of(value);
    double total = 0;
    for (const Mass& mass : masses) total += mass.weight;
    const double cut = total * (1 - percent / 100) / 2;
    const auto edge = [&](auto begin, auto end, bool from_below) {
        double seen = 0;
        for (auto mass = begin; mass != end; ++mass) {
            if (seen + mass->weight > cut) {
                const double share = (cut - seen) / mass->weight;
                return from_below ? mass->lo + share * (mass->hi - mass->lo) : mass->hi - share * (mass->hi - mass->lo);
            }
            seen += mass->weight;
        }
        return 0.0;
    };
    return {std::min(edge(masses.begin(), masses.end(), true), 0.0), std::max(edge(masses.rbegin(), masses.rend(), false), 0.0)};
}

RealRange search_range(const ValueRange& value, const GridSpec& spec, const SearchOptions& options) {
    switch (options.method) {
        case Method::automatic:
            if (options.by_runs) return value.runs.empty() ? search_minmax(value) : search_run_percentile(value, options.run_percentile);
            return search_automatic(value, spec);
        case Method::minmax: return search_minmax(value);
        case Method::moving_average: return search_moving_average(value, options.averaging, options.averaging_batch);
        case Method::percentile: return search_percentile(value, options.percentile);
        case Method::run_percentile: return search_run_percentile(value, options.run_percentile);
        case Method::mse: need_histogram(value, "mse"); return search_mse(value, spec);
        case Method::sqnr: need_histogram(value, "sqnr"); return search_sqnr(value, spec);
        case Method::entropy: need_histogram(value, "entropy"); return search_entropy(value, spec);
    }
    throw bug("unknown range search");
}

}  // namespace quern
