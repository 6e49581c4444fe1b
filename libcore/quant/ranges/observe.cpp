#include "libcore/quant/ranges/observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>

#include "libcore/base/error.h"
#include "libcore/quant/ranges/scan.h"

namespace quern {
namespace {

constexpr size_t bins = 65536;
constexpr size_t block = 4096;  // elements scanned and counted while they are in the first-level cache

}  // namespace

void ValueStatistics::Free::operator()(void* table) const { std::free(table); }

// `values` are one block at most.
void ValueStatistics::count_bins(std::span<const float> values) {
    if (!table_) {
        table_.reset(static_cast<uint16_t*>(std::calloc(bins, sizeof(uint16_t))));
        if (!table_) throw std::bad_alloc();
    }
    alignas(64) std::array<uint32_t, block + bins_slack> found;
    const size_t count = nonzero_bins(values, found.data());
    zeros_ += values.size() - count;
    uint16_t* table = table_.get();
    for (size_t i = 0; i < count; ++i)
        if (++table[found[i]] == 0) [[unlikely]]
            overflows_[static_cast<uint16_t>(found[i])] += 0x10000;
}

Histogram::Bins ValueStatistics::counted() const {
    Histogram::Bins all;
    auto overflow = overflows_.begin();
    for (size_t bin = 0; table_ && bin < bins; ++bin) {
        uint64_t count = table_[bin] + (bin == 0 ? zeros_ : 0);
        if (overflow != overflows_.end() && overflow->first == bin) count += (overflow++)->second;
        if (count > 0) all.append(static_cast<uint16_t>(bin), count);
    }
    return all;
}

Extremes ValueStatistics::add(std::span<const float> values, const Dims& dims) {
    Extremes all;
    for (size_t at = 0; at < values.size(); at += block) {
        const auto part = values.subspan(at, std::min(block, values.size() - at));
        const auto found = scan(part);
        if (!found) {
            const auto odd = std::find_if(part.begin(), part.end(), [](float v) { return !std::isfinite(v); });
            throw bad_input("element {} is {}", at + static_cast<size_t>(odd - part.begin()), std::isnan(*odd) ? "NaN" : "infinite");
        }
        all.add(*found);
        if (histogram_) count_bins(part);
    }
    if (axis_ >= 0 && !channels_differ_) add_channels(values, dims);
    extremes_.add(all);
    count_ += values.size();
    return all;
}

void ValueStatistics::add_channels(std::span<const float> values, const Dims& dims) {
    const auto axis = static_cast<size_t>(axis_);
    const size_t length = axis < dims.size() ? static_cast<size_t>(dims[axis]) : 0;
    if (channels_.empty()) channels_.resize(length);
    if (length == 0 || channels_.size() != length) {
        channels_differ_ = true;
        channels_.clear();
        return;
    }
    size_t inner = 1;
    for (size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
    for (size_t at = 0, channel = 0; at < values.size(); at += inner, channel = channel + 1 == length ? 0 : channel + 1)
        channels_[channel].add(*scan(values.subspan(at, inner)));
}

void clip(ValueRange& range, const Bounds& bounds) {
    const auto limit = [&](float& least, float& greatest) {
        const Extremes clipped = Extremes{least, greatest}.clipped(bounds);
        least = clipped.min;
        greatest = clipped.max;
    };
    limit(range.min, range.max);
    for (size_t i = 0; i < range.channel_min.size(); ++i) limit(range.channel_min[i], range.channel_max[i]);
    Histogram::Bins bins;
    for (const auto& [bin, count] : range.histogram.bins) {
        float number = Histogram::edges(bin).second;  // of a bin that a bound divides all numbers stay in it: it is the bound's own
        limit(number, number);
        bins[Histogram::bin_of(number)] += count;
    }
    range.histogram.bins = std::move(bins);
}

void ValueStatistics::add_to(ValueRange& range) const {
    if (count_ == 0) return;
    const bool first = range.count == 0;
    range.min = first ? extremes_.min : std::min(range.min, extremes_.min);
    range.max = first ? extremes_.max : std::max(range.max, extremes_.max);
    range.count += count_;
    range.histogram.merge({counted()});
    const bool fits = first || range.channel_min.size() == channels_.size();
    if (channels_.empty() || !fits || (!first && range.axis < 0)) {
        range.axis = -1;
        range.channel_min.clear();
        range.channel_max.clear();
        return;
    }
    range.axis = axis_;
    if (first) {
        range.channel_min.assign(channels_.size(), channels_[0].min);
        range.channel_max.assign(channels_.size(), channels_[0].max);
    }
    for (size_t i = 0; i < channels_.size(); ++i) {
        range.channel_min[i] = first ? channels_[i].min : std::min(range.channel_min[i], channels_[i].min);
        range.channel_max[i] = first ? channels_[i].max : std::max(range.channel_max[i], channels_[i].max);
    }
}

}  // namespace quern
