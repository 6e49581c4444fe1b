// How far values are from each other: what comparisons find, by value.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "libcore/exec/session.h"
#include "libcore/runs/parts.h"
#include "libcore/runs/state.h"

namespace quern {

struct PartFigure {
    std::string name;
    double sqnr = 0;
};

// Running sums in float64 over all samples; a is the reference.
struct Difference {
    PartLayout layout = {};     // what has figures of its own
    double dot = 0, other = 0;  // sums of a*b, b^2
    double max_error = 0, max_reference = 0;
    // How many elements differ by 2^(i - error_bias) to less than twice that; the first and the last also by less and more.
    static constexpr size_t error_bins = 64;
    static constexpr int error_bias = 48;
    std::array<uint64_t, error_bins> errors{};
    std::string mismatch;  // why the numbers cannot be compared: shapes, dtypes, not finite

    void add(const Tensor& a, const Tensor& b);  // of one sample
    void join(const Difference& other);          // as if all its elements were of one sample of this
    // Of the worst part, where parts differ in size: decibel; infinite where nothing differs.
    double sqnr() const;
    double whole_sqnr() const;  // over all elements
    // The one with the lowest figure, where the RMS of one is less than 1/8 of another's (of up to 32 features 1/64, of 8
    // numbers at least). Those below 1/10,000 of the largest do not count.
    std::optional<PartFigure> worst_part() const;
    struct Spread {
        double lowest, highest;
    };
    Spread spread() const;                           // of single samples, of the worst part if there is one; infinite where nothing differs
    std::optional<PartFigure> worst_sample() const;  // its number, from 0; nothing for one sample, or where nothing differs
    double cosine() const;                           // 1 where both are all zero
    uint64_t count() const { return whole_.count; }
    double signal() const { return whole_.signal; }  // sum of a^2
    double noise() const { return whole_.noise; }    // sum of (a-b)^2
    bool identical() const { return mismatch.empty() && noise() == 0; }

   private:
    struct Sums {
        double signal = 0, noise = 0;
        uint64_t count = 0;

        double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;  // of single samples
        uint64_t lowest_at = 0;

        void add(const Sums& sample, uint64_t number);
        double mean_square() const { return count > 0 ? signal / static_cast<double>(count) : 0; }
        double sqnr() const;
    };
    void add_parts(const std::vector<double>& a, const std::vector<double>& b, const Dims& dims);

    std::optional<size_t> lowest_part() const;  // that differs in size from others
    const Sums& headline() const;               // of that part, or of all elements

    std::vector<Sums> parts_;
    Sums whole_;
    uint64_t samples_ = 0;
};

// "52.32 dB", or "0.00 dB at "cs" (4 to 6 of axis 1), 52.32 dB over all"; "equal"; why there is no figure.
std::string figure_text(const Difference& difference);

struct ComparedValue {
    std::string key;
    bool output = false;
    Difference difference;
    std::string note = {};        // of what kind the two are, where that is known
    bool channels_moved = false;  // they are the last dim on one side, dim 1 on the other
};

struct Comparison {
    uint64_t samples = 0;
    std::vector<ComparedValue> values;                 // in the order in which the reference computes them
    std::vector<std::string> only_first, only_second;  // names without partner

    // The first value worse than `threshold` decibel; nullptr if there is none.
    const ComparedValue* first_below(double threshold, bool outputs_only) const;
};

struct CompareSide {
    const Graph& graph;
    Mode mode = Mode::floating;
    const StatePlan* states = nullptr;  // nullptr: every input comes from the samples
};

}  // namespace quern
