// Range search: which range of a value its grid should cover, from what calibration measured alone - no inference.
//
// Sources of the algorithms: min-max, moving average and entropy as in onnxruntime.quantization (calibrate.py), percentile of values as
// there with half of the cut at either side, percentile of per-run extremes as in Samsung/ONE (Embedder.cc), SQNR after AIMET's
// tf-enhanced (steps x offsets, clipping weighted by 3), MSE as AIMET's grid of edges. Errors within a histogram bin are integrated
// exactly over values spread evenly over the bin, so that bins wider than a step do not mislead.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "libcore/quant/ranges/grid.h"

namespace quern {

struct SearchOptions;

// A method is one row of search.cpp, with its function.
struct Method {
    std::string_view name, doc;
    RealRange (*search)(const ValueRange& value, const GridSpec& spec, const SearchOptions& options);
    bool histogram = false;  // needs one
    bool by_runs = false;    // goes by the extremes of runs, which a constant has not
    bool clips = true;       // may leave out extremes
    bool even = false;       // counts on steps of one size, which float8 has not
};
std::span<const Method> all_methods();
const Method& method_named(std::string_view name);  // throws Exit::usage with a suggestion
const Method& default_method();                     // "auto"
const Method& whole_range();                        // "min-max"

struct SearchOptions {
    const Method* method = &default_method();
    double percentile = 99.999;   // share of values kept, in percent
    double run_percentile = 99;   // of the runs' maxima; of the minima its complement
    double averaging = 0.1;       // weight of a new run in the moving average
    int64_t averaging_batch = 1;  // runs whose extremes count as those of one
    bool by_runs = false;         // "auto" is run-percentile, of constants min-max
    bool optimum = false;         // also find what would be optimal, for the report
};

// The range of `value` to cover. Throws Exit::bad_input if the statistics that a method needs were not collected ("auto" falls
// back to min-max). The result lies within the observed extremes, 0 included, but for the headroom that "auto"
// leaves on 16-bit grids and what "tf-enhanced" adds: a hundredth, half a step, half a
// bin, and 0.01 where that is wider than all numbers.
RealRange search_range(const ValueRange& value, const GridSpec& spec, const SearchOptions& options);

// Single searches; masses as from masses_of().
RealRange search_minmax(const ValueRange& value);
RealRange search_mse(const ValueRange& value, const GridSpec& spec);
RealRange search_sqnr(const ValueRange& value, const GridSpec& spec);
// The least noise, as grid_error() has it, of all windows whose edges are edges of the histogram's bins (joined to about 256 on either side
// of 0), the observed range among them, and then of a raster of eighths about the best one's edges.
RealRange search_optimal(const ValueRange& value, const GridSpec& spec);
// AIMET's tf-enhanced to the candidate. Bins are three times the range of the first run about its centre (the first whose numbers differ;
// of constants the whole range): what lies beyond is not counted, and so is clipped, as it is there.
RealRange search_tf_enhanced(const ValueRange& value, const GridSpec& spec);
RealRange search_entropy(const ValueRange& value, const GridSpec& spec);

}  // namespace quern
