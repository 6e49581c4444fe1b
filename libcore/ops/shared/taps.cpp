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

Taps::Taps(const Window& window, std::span<const int64_t> small, std::span<const int64_t> large)
    : window_(window),
      small_(small.begin(), small.end()),
      large_(large.begin(), large.end()),
      small_strides_(strides_of(small)),
      large_strides_(strides_of(large)),
      tap_strides_(strides_of(window.kernel)),
      count_(static_cast<size_t>(count_of(window.kernel))),
      step_(window.stride.back()) {
    constexpr double kept = 1 << 20;  // runs
    double max = static_cast<double>(count_);
    for (const int64_t length : small.first(window.rank() - 1)) max *= static_cast<double>(length);
    if (max > kept || static_cast<double>(count_) > kept) return;
    Dims tap(window.rank(), 0);
    starts_.push_back(0);
    do {
        add_runs(runs_, tap);
        starts_.push_back(runs_.size());
    } while (next_index(tap, window.kernel));
}

void Taps::add_runs(std::vector<TapRun>& runs, std::span<const int64_t> tap) const {
    const size_t outer = window_.rank() - 1, start = runs.size();
    if (count_of(small_) == 0 || count_of(large_) == 0) return;
    const auto offset = [&](size_t i) { return tap[i] * window_.dilation[i] - window_.before[i]; };
    const Inside row(small_[outer], large_[outer], step_, offset(outer));
    if (row.first >= row.last) return;
    Dims at(outer, 0);
    do {
        TapRun run{row.first, row.first * step_ + offset(outer), row.last - row.first};
        bool inside = true;
        for (size_t i = 0; i < outer; ++i) {
            const int64_t p = at[i] * window_.stride[i] + offset(i);
            inside &= p >= 0 && p < large_[i];
            run.small += at[i] * small_strides_[i];
            run.large += p * large_strides_[i];
        }
        if (inside) add_run(runs, start, run, step_);
    } while (next_index(at, std::span(small_).first(outer)));
}

std::span<const TapRun> Taps::runs(size_t tap) const {
    if (!starts_.empty()) return std::span(runs_).subspan(starts_[tap], starts_[tap + 1] - starts_[tap]);
    Dims place(window_.rank());
    for (size_t i = 0; i < place.size(); ++i) place[i] = static_cast<int64_t>(tap) / tap_strides_[i] % window_.kernel[i];
    made_.clear();
    add_runs(made_, place);
    return made_;
}

}  // namespace quern
