// Ranges: what calibration measured, one record per float value, as JSON sidecar {"kind": "ranges", "version": 1, ...}.
//
// Every statistic is exact and mergeable: the result is the same for any batch size, thread count and sharding.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/quant/ranges/exact_sum.h"

namespace quern {

// Integer counts of float32 values, binned by the upper 16 bits of their pattern (sign, exponent, 7 bits of fraction: 128 bins an
// octave), so that bins need no range known beforehand and any two histograms add. -0 counts as +0.
struct Histogram {
    // Counts by bin in ascending order, in one run of memory: a value may have thousands.
    class Bins {
       public:
        using Item = std::pair<uint16_t, uint64_t>;
        auto begin() const { return items_.begin(); }
        auto end() const { return items_.end(); }
        bool empty() const { return items_.empty(); }
        uint64_t& operator[](uint16_t bin);
        bool append(uint16_t bin, uint64_t count);  // false if it does not come after all others
        void shrink() { items_.shrink_to_fit(); }
        bool operator==(const Bins&) const = default;

       private:
        std::vector<Item> items_;
    };
    Bins bins;

    uint64_t total() const;
    void merge(const Histogram& other);
    static uint16_t bin_of(float value);
    // The values of a bin are [first, second], first nearest zero; both are finite floats.
    static std::pair<float, float> edges(uint16_t bin);
};

// The first samples, by index, whose extremes are kept run by run unless all are asked for: sidecars do not grow with the samples.
constexpr uint64_t usual_runs = 1000;
constexpr bool keeps_run(uint64_t sample, bool all_runs) { return all_runs || sample < usual_runs; }

struct ValueRange {
    float min = 0, max = 0;  // over all samples; count 0: never seen
    uint64_t count = 0;      // elements seen
    Histogram histogram;     // empty if it was not collected
    int axis = -1;           // of the per-channel extremes below
    std::vector<float> channel_min, channel_max;
    std::vector<ExactSum> channel_sum;                 // of as many; empty if they were not collected
    std::map<uint64_t, std::pair<float, float>> runs;  // per-run extremes by sample index
    uint64_t runs_left_out = 0;                        // runs that saw it whose extremes are not among them

    std::vector<double> channel_means() const;  // empty without sums
    void merge(ValueRange other);               // throws Exit::bad_input if the two do not belong together
    void leave_out_runs(uint64_t from = usual_runs);
};

struct Ranges {
    std::string lineage;  // of the model they were measured on
    uint64_t samples = 0;
    std::map<std::string, ValueRange> values;  // by key: "name" or "node/body/name"
    std::vector<std::string> unvisited;        // bodies that no sample ran: "node/body"
    // Samples whose extremes are left out of all runs, as [first, end) in order; with the runs they tell which samples were seen.
    std::vector<std::pair<uint64_t, uint64_t>> without_runs;

    void merge(const Ranges& other);  // throws Exit::bad_input if the lineages or a per-channel axis differ
    bool leave_out_runs();            // of samples behind the usual ones, of all values; true if there were any
    bool has_all_runs() const;
    // Throws Exit::bad_input if one is there already.
    void add_without_runs(uint64_t first, uint64_t end);
    // As if some of the samples had not been measured, as far as extremes go: those of values with all their runs are of the others.
    Ranges with_extremes_without(const std::set<uint64_t>& left_out) const;
    void renumber(uint64_t by);  // samples follow as many others
};

}  // namespace quern
