#include "libcore/quant/ranges/ranges.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <tuple>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

uint64_t add_counts(uint64_t a, uint64_t b) {
    if (a > std::numeric_limits<uint64_t>::max() - b) throw bad_input("counts overflow 64 bits");
    return a + b;
}

Error on_both_sides(uint64_t sample) {
    return bad_input("sample {} is on both sides", sample).with_hint("--renumber lets the samples of each file follow those before");
}

void merge_channels(ValueRange& to, const ValueRange& from) {
    if (to.axis != from.axis) throw bad_input("per-channel extremes of axis {} and of axis {}", to.axis, from.axis);
    if (to.channel_min.size() != from.channel_min.size())
        throw bad_input("per-channel extremes of {} and of {} channels", to.channel_min.size(), from.channel_min.size());
    for (size_t i = 0; i < to.channel_min.size(); ++i) {
        to.channel_min[i] = std::min(to.channel_min[i], from.channel_min[i]);
        to.channel_max[i] = std::max(to.channel_max[i], from.channel_max[i]);
    }
    if (to.channel_sum.size() != from.channel_sum.size()) to.channel_sum.clear();  // one side was collected without
    for (size_t i = 0; i < to.channel_sum.size(); ++i) to.channel_sum[i].add(from.channel_sum[i]);
}

}  // namespace

std::vector<double> ValueRange::channel_means() const {
    const double each = static_cast<double>(count) / static_cast<double>(std::max<size_t>(channel_sum.size(), 1));
    std::vector<double> means;
    means.reserve(channel_sum.size());
    for (const ExactSum& sum : channel_sum) means.push_back(sum.rounded() / each);
    return means;
}

void ValueRange::merge(ValueRange other) {
    if (other.count == 0) return;
    if (count == 0) {
        *this = std::move(other);
        return;
    }
    if (histogram.bins.empty() != other.histogram.bins.empty()) throw bad_input("only one side has a histogram");
    merge_channels(*this, other);
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    count = add_counts(count, other.count);
    histogram.merge(other.histogram);
    runs_left_out = add_counts(runs_left_out, other.runs_left_out);
    for (const auto& [sample, extremes] : other.runs)
        if (!runs.emplace(sample, extremes).second) throw on_both_sides(sample);
}

void ValueRange::leave_out_runs(uint64_t from) {
    const auto first = runs.lower_bound(from);
    runs_left_out = add_counts(runs_left_out, static_cast<uint64_t>(std::distance(first, runs.end())));
    runs.erase(first, runs.end());
}

uint64_t& Histogram::Bins::operator[](uint16_t bin) {
    const auto at = std::lower_bound(items_.begin(), items_.end(), bin, [](const Item& item, uint16_t b) { return item.first < b; });
    return (at != items_.end() && at->first == bin ? at : items_.insert(at, {bin, 0}))->second;
}

bool Histogram::Bins::append(uint16_t bin, uint64_t count) {
    if (!items_.empty() && items_.back().first >= bin) return false;
    items_.emplace_back(bin, count);
    return true;
}

uint64_t Histogram::total() const {
    uint64_t sum = 0;
    for (const auto& [bin, count] : bins) sum += count;
    return sum;
}

void Histogram::merge(const Histogram& other) {
    Bins both;
    auto a = bins.begin(), b = other.bins.begin();
    while (a != bins.end() || b != other.bins.end()) {
        const bool mine = b == other.bins.end() || (a != bins.end() && a->first <= b->first);
        const bool theirs = a == bins.end() || (b != other.bins.end() && b->first <= a->first);
        both.append(mine ? a->first : b->first, mine && theirs ? add_counts(a->second, b->second) : mine ? a->second : b->second);
        if (mine) ++a;
        if (theirs) ++b;
    }
    both.shrink();
    bins = std::move(both);
}

uint16_t Histogram::bin_of(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value + 0.0f) >> 16); }

std::pair<float, float> Histogram::edges(uint16_t bin) {
    const uint32_t first = static_cast<uint32_t>(bin) << 16;
    return {std::bit_cast<float>(first), std::bit_cast<float>(first | 0xffffu)};
}

void Ranges::merge(const Ranges& other) {
    if (lineage != other.lineage) throw bad_input("measured on another model: lineage \"{}\", before \"{}\"", other.lineage, lineage);
    for (const auto& [key, value] : other.values)
        at_place(fmt::format("value \"{}\"", escape(key)), [&, &key = key, &value = value] { values[key].merge(value); });
    for (const auto& [first, end] : other.without_runs) add_without_runs(first, end);
    samples = add_counts(samples, other.samples);
    std::erase_if(unvisited, [&](const std::string& body) {
        return std::find(other.unvisited.begin(), other.unvisited.end(), body) == other.unvisited.end();
    });
}

bool Ranges::leave_out_runs() {
    std::set<uint64_t> left_out;
    for (auto& [key, value] : values) {
        for (auto run = value.runs.lower_bound(usual_runs); run != value.runs.end(); ++run) left_out.insert(run->first);
        value.leave_out_runs();
    }
    for (const uint64_t sample : left_out) add_without_runs(sample, sample + 1);
    return !left_out.empty();
}

Ranges Ranges::with_extremes_without(const std::set<uint64_t>& left_out) const {
    Ranges others = *this;
    for (auto& [key, value] : others.values) {
        if (value.runs_left_out > 0) continue;
        std::erase_if(value.runs, [&](const auto& run) { return left_out.contains(run.first); });
        if (value.runs.empty()) continue;
        std::tie(value.min, value.max) = value.runs.begin()->second;
        for (const auto& [sample, extremes] : value.runs) {
            value.min = std::min(value.min, extremes.first);
            value.max = std::max(value.max, extremes.second);
        }
    }
    return others;
}

void Ranges::add_without_runs(uint64_t first, uint64_t end) {
    const auto next = std::ranges::lower_bound(without_runs, first, {}, &std::pair<uint64_t, uint64_t>::first);
    const auto before = next == without_runs.begin() ? without_runs.end() : next - 1;
    const bool has_before = before != without_runs.end(), has_next = next != without_runs.end();
    if (has_before && before->second > first) throw on_both_sides(first);
    if (has_next && next->first < end) throw on_both_sides(next->first);
    const bool joins_before = has_before && before->second == first, joins_next = has_next && next->first == end;
    if (joins_before) {
        before->second = joins_next ? next->second : end;
        if (joins_next) without_runs.erase(next);
    } else if (joins_next) {
        next->first = first;
    } else {
        without_runs.insert(next, {first, end});
    }
}

void Ranges::renumber(uint64_t by) {
    for (auto& [key, value] : values) {
        std::map<uint64_t, std::pair<float, float>> moved;
        for (const auto& [sample, extremes] : value.runs) moved.emplace_hint(moved.end(), add_counts(sample, by), extremes);
        value.runs = std::move(moved);
    }
    for (auto& [first, end] : without_runs) {
        first = add_counts(first, by);
        end = add_counts(end, by);
    }
}

bool Ranges::has_all_runs() const {
    return std::ranges::none_of(values, [](const auto& value) { return value.second.runs_left_out > 0; });
}

}  // namespace quern
