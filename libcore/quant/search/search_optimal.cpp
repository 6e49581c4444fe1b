// The least noise of all windows, found without trying each: of those whose bound is below the best so far, the most promising first.
#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "libcore/quant/search/noise_bound.h"
#include "libcore/quant/search/search.h"

namespace quern {
namespace {

constexpr size_t window_masses = 256;  // per sign
constexpr int subdivisions = 8;        // of the steps about the best edges

// Where windows may end, from 0 away.
struct Ends {
    std::vector<double> below{0}, above{0};
};

Ends ends_of(const ValueRange& value) {
    Ends ends;
    for (const Mass& mass : masses_of(value, window_masses)) {
        if (mass.lo < 0) ends.below.push_back(mass.lo);
        if (mass.hi > 0) ends.above.push_back(mass.hi);
    }
    std::ranges::reverse(ends.below.begin() + 1, ends.below.end());
    return ends;
}

// A raster from the neighbour of `edge` on one side to that on the other.
std::vector<double> finer(const std::vector<double>& ends, double edge) {
    const auto at = static_cast<size_t>(std::ranges::find(ends, edge) - ends.begin());
    if (at == ends.size()) return {edge};
    std::vector<double> raster{edge};
    for (const size_t from : {at == 0 ? at : at - 1, at})
        for (int i = 1; from + 1 < ends.size() && i < subdivisions; ++i)
            raster.push_back(ends[from] + (ends[from + 1] - ends[from]) * i / subdivisions);
    return raster;
}

class WindowSearch {
   public:
    WindowSearch(const ValueRange& value, const GridSpec& spec)
        : spec_(spec), observed_(search_minmax(value)), masses_(masses_of(value, measured_masses)), bound_(masses_), best_(observed_) {
        least_ = noise(grid_of(best_, spec_));
    }
    RealRange best() const { return best_; }

    void search(const Ends& ends) {
        std::vector<Window> windows;
        for_windows(ends, [&](double lo, double hi) {
            if (lo == hi) return;
            const double bound = bound_.of(grid_of({lo, hi}, spec_), spec_);
            if (bound < least_) windows.push_back({bound, {lo, hi}});
        });
        const auto later = [](const Window& a, const Window& b) {
            return std::tie(a.least, a.range.lo, a.range.hi) > std::tie(b.least, b.range.lo, b.range.hi);
        };
        std::ranges::make_heap(windows, later);
        for (; !windows.empty() && windows.front().least < least_; windows.pop_back()) {
            const RealRange& range = windows.front().range;
            if (const double found = noise(grid_of(range, spec_)); found < least_) {
                least_ = found;
                best_ = range;
            }
            std::ranges::pop_heap(windows, later);
        }
    }

   private:
    struct Window {
        double least;  // noise of it: not less
        RealRange range;
    };

    // But for those that clip too much wherever their grids lie.
    template <class Fn>
    void for_windows(const Ends& ends, const Fn& fn) const {
        if (spec_.symmetric) {
            for (const double lo : ends.below) fn(lo, std::min(-lo, observed_.hi));
            for (const double hi : ends.above) fn(std::max(-hi, observed_.lo), hi);
            return;
        }
        const double beyond = reach();
        std::vector<double> above;
        for (const double hi : ends.above) above.push_back(bound_.above(hi + beyond));
        for (const double lo : ends.below) {
            const double below = bound_.below(lo - beyond);
            for (size_t i = 0; i < above.size(); ++i)
                if (below + above[i] < least_) fn(lo, ends.above[i]);
        }
    }
    // How far a grid may reach beyond an edge of its window: about half a step, as zero points are whole and scales are float32.
    double reach() const {
        const auto codes = static_cast<double>(spec_.qmax - spec_.qmin);
        if (spec_.min_scale > 0) return std::numeric_limits<double>::infinity();
        return (observed_.hi - observed_.lo) / codes * (1 + codes * static_cast<double>(std::numeric_limits<float>::epsilon()));
    }
    double noise(const Grid& grid) const { return grid_error(masses_, grid, spec_).noise(); }

    const GridSpec& spec_;
    RealRange observed_;
    std::vector<Mass> masses_;
    NoiseBound bound_;
    RealRange best_;
    double least_ = 0;
};

}  // namespace

RealRange search_optimal(const ValueRange& value, const GridSpec& spec) {
    const Ends ends = ends_of(value);
    WindowSearch optimum(value, spec);
    optimum.search(ends);
    const RealRange coarse = optimum.best();
    optimum.search({finer(ends.below, coarse.lo), finer(ends.above, coarse.hi)});
    return optimum.best();
}

}  // namespace quern
