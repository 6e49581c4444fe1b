#include "libcore/ops/shared/taps.h"

#include <algorithm>

#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// The positions p in [first, last) of a grid of `small` for which p * stride + offset is inside [0, large).
struct Inside {
    int64_t first, last;
    Inside(int64_t small, int64_t large, int64_t stride, int64_t offset) {
        first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
        last = large > offset ? std::min(small, (large - offset + stride - 1) / stride) : 0;
    }
};

// Adds a run, joined to the one before it if it goes on where that ends.
void add_run(std::vector<TapRun>& runs, size_t start, const TapRun& run, int64_t step) {
    if (runs.size() > start) {
        TapRun& before = runs.back();
        if (before.small + before.count == run.small && before.large + before.count * step == run.large) {
            before.count += run.count;
            return;
        }
    }
    runs.push_back(run);
}

// Advances an odometer over [0, lengths); false when it is through.
bool next_index(Dims& at, std::span<const int64_t> lengths) {
    for (size_t i = lengths.size(); i-- > 0;) {
        if (++at[i] < lengths[i]) return true;
        at[i] = 0;
    }
    return false;
}

}  // namespace

Taps::Taps(const Window& window, std::span<const int64_t> small, std::span<const int64_t> large) : step_(window.stride.back()) {
    const size_t outer = window.rank() - 1;
    const auto small_strides = strides_of(small), large_strides = strides_of(large);
    const bool nothing = count_of(small) == 0 || count_of(large) == 0;
    Dims tap(window.rank(), 0);
    do {
        const auto offset = [&](size_t i) { return tap[i] * window.dilation[i] - window.before[i]; };
        const Inside row(small[outer], large[outer], step_, offset(outer));
        Dims at(outer, 0);
        if (!nothing && row.first < row.last) do {
                TapRun run{row.first, row.first * step_ + offset(outer), row.last - row.first};
                bool inside = true;
                for (size_t i = 0; i < outer; ++i) {
                    const int64_t p = at[i] * window.stride[i] + offset(i);
                    inside &= p >= 0 && p < large[i];
                    run.small += at[i] * small_strides[i];
                    run.large += p * large_strides[i];
                }
                if (inside) add_run(runs_, starts_.back(), run, step_);
            } while (next_index(at, small.first(outer)));
        starts_.push_back(runs_.size());
    } while (next_index(tap, window.kernel));
}

}  // namespace quern
