// Which elements of a large grid (the padded side of a window operator) each tap of the window meets, as straight runs.
#pragma once

#include "libcore/ops/shared/window.h"

namespace quern {

// For i in [0, count): element small + i of the window grid meets element large + i * step of the large grid.
struct TapRun {
    int64_t small, large, count;
};

// The runs of every tap in row-major order of the kernel; what falls into the padding is left out. A convolution reads `large` and
// writes `small` (the windows' grid), a transposed one the reverse. Step is the innermost stride. The runs of large windows are made
// when they are asked for and lie in one place: a Taps is for one thread, and for one tap at a time.
class Taps {
   public:
    Taps(const Window& window, std::span<const int64_t> small, std::span<const int64_t> large);
    size_t count() const { return count_; }
    int64_t step() const { return step_; }
    std::span<const TapRun> runs(size_t tap) const;

   private:
    void add_runs(std::vector<TapRun>& runs, std::span<const int64_t> tap) const;

    Window window_;
    Dims small_, large_;
    std::vector<int64_t> small_strides_, large_strides_, tap_strides_;
    size_t count_;
    int64_t step_;
    std::vector<TapRun> runs_;
    std::vector<size_t> starts_;  // empty: not kept
    mutable std::vector<TapRun> made_;
};

// Calls fn(small, large) for every pair of a tap.
template <class Fn>
inline void each_pair(const Taps& taps, size_t tap, const Fn& fn) {
    for (const TapRun& run : taps.runs(tap))
        for (int64_t i = 0; i < run.count; ++i) fn(run.small + i, run.large + i * taps.step());
}

}  // namespace quern
