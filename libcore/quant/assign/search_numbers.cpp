// Ranges of constants by the methods that are made for what was measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/quant/assign/weights.h"

namespace quern {
namespace {

// By one byte after the other, where there are enough of them to make up for the counters.
void sort_bins(std::vector<uint16_t>& bins) {
    if (bins.size() < 256) {
        std::ranges::sort(bins);
        return;
    }
    std::vector<uint16_t> other(bins.size());
    for (const int shift : {0, 8}) {
        std::array<size_t, 257> begin{};
        for (const uint16_t bin : bins) ++begin[((bin >> shift) & 255) + 1U];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        for (const uint16_t bin : bins) other[begin[(bin >> shift) & 255]++] = bin;
        bins.swap(other);
    }
}

}  // namespace

RealRange search_numbers(std::span<const float> numbers, const GridSpec& spec, const SearchOptions& options) {
    if (numbers.empty()) return {};
    std::vector<uint16_t> bins;
    bins.reserve(numbers.size());
    ValueRange range;
    range.min = range.max = numbers[0];
    range.count = numbers.size();
    for (const float x : numbers) {
        if (!std::isfinite(x)) throw bad_input("holds NaN or infinity");
        range.min = std::min(range.min, x);
        range.max = std::max(range.max, x);
        bins.push_back(Histogram::bin_of(x));
    }
    sort_bins(bins);
    for (size_t i = 0, next = 0; i < bins.size(); i = next) {
        while (next < bins.size() && bins[next] == bins[i]) ++next;
        range.histogram.bins.append(bins[i], next - i);
    }
    return search_range(range, spec, options);
}

}  // namespace quern
