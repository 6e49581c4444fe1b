// Range search: the choice of method, and the searches that need no grid.
#include "libcore/quant/search/search.h"

#include <algorithm>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr double headroom = 2;  // of 16-bit activations: half of the codes' 96 dB would do

// The p-th percentile (0..100) of numbers, interpolated between neighbours.
double percentile_of(std::vector<double> numbers, double p) {
    std::sort(numbers.begin(), numbers.end());
    const double place = p * static_cast<double>(numbers.size() - 1) / 100;
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, numbers.size() - 1);
    return numbers[below] + (numbers[above] - numbers[below]) * (place - static_cast<double>(below));
}

// The extremes of every `averaging_batch` runs in list order are one step of the average (fewer in the last).
RealRange search_moving_average(const ValueRange& value, const GridSpec&, const SearchOptions& options) {
    double lo = 0, hi = 0;
    bool first = true;
    for (auto run = value.runs.begin(); run != value.runs.end(); first = false) {
        double least = run->second.first, greatest = run->second.second;
        for (int64_t i = 0; i < options.averaging_batch && run != value.runs.end(); ++i, ++run) {
            least = std::min<double>(least, run->second.first);
            greatest = std::max<double>(greatest, run->second.second);
        }
        lo += (first ? 1 : options.averaging) * (least - lo);
        hi += (first ? 1 : options.averaging) * (greatest - hi);
    }
    return {std::min(lo, 0.0), std::max(hi, 0.0)};
}

RealRange search_run_percentile(const ValueRange& value, const GridSpec&, const SearchOptions& options) {
    std::vector<double> least, greatest;
    for (const auto& [sample, extremes] : value.runs) {
        least.push_back(extremes.first);
        greatest.push_back(extremes.second);
    }
    return {std::min(percentile_of(least, 100 - options.run_percentile), 0.0),
            std::max(percentile_of(greatest, options.run_percentile), 0.0)};
}

RealRange search_percentile(const ValueRange& value, const GridSpec&, const SearchOptions& options) {
    const auto masses = masses_of(value);
    double total = 0;
    for (const Mass& mass : masses) total += mass.weight;
    const double cut = total * (1 - options.percentile / 100) / 2;
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

// Constants have none.
bool has_runs(const ValueRange& value) { return !value.runs.empty() || value.runs_left_out > 0; }

// Throws unless all are there, which `what` needs.
void need_runs(const ValueRange& value, std::string_view what) {
    if (!value.runs.empty() && value.runs_left_out == 0) return;
    const uint64_t all = value.runs.size() + value.runs_left_out;
    const std::string have = all == 0 ? "do not have" : fmt::format("have of {} of {}", value.runs.size(), all);
    throw bad_input("{} needs the extremes of each run, which these ranges {}", what, have)
        .with_hint("collect them with --keep-runs, or choose another --method, such as min-max");
}

// Grids of 16 bits are finer than anything needs: they leave room for what other samples will bring. What is known exactly needs none.
RealRange with_headroom(const ValueRange& value, const RealRange& observed) {
    if (!has_runs(value)) return observed;
    return {observed.lo * headroom, observed.hi * headroom};
}

// Clips only if the noise halves at least, clipped numbers weighted as in the search: rounding levels out in the sums behind a value, what
// clipping takes from a few great numbers does not.
RealRange search_automatic(const ValueRange& value, const GridSpec& spec, const SearchOptions& options) {
    if (is_float(spec.storage) && !options.by_runs) return search_minmax(value);  // small numbers lose nothing by a greater scale
    if (options.by_runs && has_runs(value)) {
        need_runs(value, "the percentile that is usual for this format");
        return search_run_percentile(value, spec, options);
    }
    if (options.by_runs) return search_minmax(value);
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

using Options = SearchOptions;
constexpr std::array search_table{
    Method{.name = "auto", .doc = "min-max, clipped where that halves the noise; twice as far on 16 bits", .search = search_automatic},
    Method{.name = "min-max",
           .doc = "the observed extremes",
           .search = [](const ValueRange& value, const GridSpec&, const Options&) { return search_minmax(value); },
           .clips = false},
    Method{.name = "moving-average",
           .doc = "moving average of the extremes of each run, in list order",
           .search = search_moving_average,
           .by_runs = true},
    Method{.name = "percentile", .doc = "all but a small share of the values", .search = search_percentile, .histogram = true},
    Method{.name = "run-percentile", .doc = "percentiles of the extremes of the runs", .search = search_run_percentile, .by_runs = true},
    Method{.name = "mse",
           .doc = "least mean squared error",
           .search = [](const ValueRange& value, const GridSpec& spec, const Options&) { return search_mse(value, spec); },
           .histogram = true},
    Method{.name = "sqnr",
           .doc = "least noise, clipping weighted by 3",
           .search = [](const ValueRange& value, const GridSpec& spec, const Options&) { return search_sqnr(value, spec); },
           .histogram = true},
    Method{.name = "optimal",
           .doc = "least mean squared error of all windows, not of a few",
           .search = [](const ValueRange& value, const GridSpec& spec, const Options&) { return search_optimal(value, spec); },
           .histogram = true,
           .even = true},
    Method{.name = "tf-enhanced",
           .doc = "as AIMET's: 512 bins by the first run, errors at their midpoints",
           .search = [](const ValueRange& value, const GridSpec& spec, const Options&) { return search_tf_enhanced(value, spec); },
           .histogram = true,
           .even = true},
    Method{.name = "entropy",
           .doc = "least Kullback-Leibler divergence",
           .search = [](const ValueRange& value, const GridSpec& spec, const Options&) { return search_entropy(value, spec); },
           .histogram = true,
           .even = true},
};

}  // namespace

std::span<const Method> all_methods() { return search_table; }
const Method& default_method() { return search_table[0]; }
const Method& whole_range() { return search_table[1]; }

const Method& method_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Method& row : search_table) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw usage_error("unknown method \"{}\"{}", escape(name), did_you_mean(name, names));
}

RealRange search_minmax(const ValueRange& value) { return {std::min<double>(value.min, 0), std::max<double>(value.max, 0)}; }

RealRange search_range(const ValueRange& value, const GridSpec& spec, const SearchOptions& options) {
    const Method& method = *options.method;
    if (method.even && is_float(spec.storage))
        throw usage_error("method {} counts on steps of one size, which {} has not", method.name, name_of(spec.storage))
            .with_hint("auto, min-max, moving-average, percentile, run-percentile, mse and sqnr go with it");
    if (method.histogram && value.histogram.bins.empty())
        throw bad_input("method {} needs histograms, which these ranges do not have", method.name)
            .with_hint("collect them without --no-histogram");
    if (method.by_runs) need_runs(value, fmt::format("method {}", method.name));
    return method.search(value, spec, options);
}

}  // namespace quern
