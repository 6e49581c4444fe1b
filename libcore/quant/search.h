// Range search: which range of a value its grid should cover, from what calibration measured alone - no inference.
//
// Sources of the algorithms: min-max, moving average and entropy as in onnxruntime.quantization (calibrate.py), percentile of values as
// there with half of the cut at either side, percentile of per-run extremes as in Samsung/ONE (Embedder.cc), SQNR as AIMET's
// tf-enhanced (17 steps x 21 offsets, clipping weighted by 3), MSE as AIMET's grid of edges. Errors within a histogram bin are integrated
// exactly over values spread evenly over the bin, so that bins wider than a step do not mislead.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "libcore/quant/grid.h"

namespace quern {

enum class Method : uint8_t {
    automatic,  // minmax, clipped as SQNR recommends where that halves the noise; with headroom on 16 bits
    minmax,
    moving_average,  // of per-run extremes, in list order
    percentile,      // of values
    run_percentile,  // of per-run extremes
    mse,
    sqnr,
    entropy,
};

struct MethodRow {
    Method method;
    std::string_view name, doc;
};
std::span<const MethodRow> all_methods();
Method method_named(std::string_view name);  // throws Exit::usage with a suggestion
std::string_view name_of(Method method);

struct SearchOptions {
    Method method = Method::automatic;
    double percentile = 99.999;   // share of values kept, in percent
    double run_percentile = 99;   // of the runs' maxima; of the minima its complement
    double averaging = 0.1;       // weight of a new run in the moving average
    int64_t averaging_batch = 1;  // runs whose extremes count as those of one
    bool by_runs = false;         // automatic is run_percentile, of constants minmax
};

// The range of `value` to cover. Throws Exit::bad_input if the statistics that a method needs were not collected (automatic falls
// back to min-max). The result lies within the observed extremes, 0 included, but for the headroom that automatic
// leaves on 16-bit grids.
RealRange search_range(const ValueRange& value, const GridSpec& spec, const SearchOptions& options);

// One search each; masses as from masses_of().
RealRange search_minmax(const ValueRange& value);
// The extremes of every `batch` runs in list order are one step of the average (fewer in the last).
RealRange search_moving_average(const ValueRange& value, double weight, int64_t batch = 1);
RealRange search_run_percentile(const ValueRange& value, double percent);
RealRange search_percentile(const ValueRange& value, double percent);
RealRange search_mse(const ValueRange& value, const GridSpec& spec);
RealRange search_sqnr(const ValueRange& value, const GridSpec& spec);
RealRange search_entropy(const ValueRange& value, const GridSpec& spec);

}  // namespace quern
