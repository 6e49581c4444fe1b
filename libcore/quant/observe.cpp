#include "libcore/quant/observe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "libcore/base/error.h"

namespace quern {
namespace {

constexpr size_t bins = 65536;
constexpr size_t block = 4096;  // elements scanned and counted while they are in the first-level cache
constexpr size_t lanes = 16;
constexpr uint32_t exponent = 0x7f800000u;

using Floats = float __attribute__((vector_size(lanes * 4)));
using Words = uint32_t __attribute__((vector_size(lanes * 4)));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define QUERN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define QUERN_CLONES
#endif

// False if an element is NaN or infinite. `count` is a multiple of 16.
QUERN_CLONES bool scan_lanes(const float* values, size_t count, float* least, float* greatest) {
    Floats lo, hi;
    std::memcpy(&lo, values, sizeof lo);
    hi = lo;
    Words odd{};
    for (size_t i = 0; i < count; i += lanes) {
        Floats v;
        Words w;
        std::memcpy(&v, values + i, sizeof v);
        std::memcpy(&w, values + i, sizeof w);
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
        odd |= static_cast<Words>((w & exponent) == exponent);
    }
    uint32_t any = 0;
    for (size_t i = 0; i < lanes; ++i) {
        *least = lo[i] < *least ? lo[i] : *least;
        *greatest = hi[i] > *greatest ? hi[i] : *greatest;
        any |= odd[i];
    }
    return any == 0;
}

uint32_t bin_of(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return (bits == 0x80000000u ? 0 : bits) >> 16;
}

}  // namespace

std::optional<Extremes> scan(std::span<const float> values) {
    Extremes e;
    const size_t whole = values.size() / lanes * lanes;
    if (whole && !scan_lanes(values.data(), whole, &e.min, &e.max)) return std::nullopt;
    for (size_t i = whole; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) return std::nullopt;
        e.add({values[i], values[i]});
    }
    e.min += 0.0f;
    e.max += 0.0f;
    return e;
}

void ValueStatistics::Free::operator()(uint64_t* table) const { std::free(table); }

void ValueStatistics::count_bins(std::span<const float> values) {
    uint64_t* table = table_.get();
    const size_t whole = values.size() / 8 * 8;
    for (size_t i = 0; i < whole; i += 8) {
        uint32_t b[8];
        uint32_t differ = 0;
        for (size_t k = 0; k < 8; ++k) b[k] = bin_of(values[i + k]);
        for (size_t k = 1; k < 8; ++k) differ |= b[k] ^ b[0];
        if (differ == 0) {  // one add instead of eight that wait for each other: zeros behind Relu
            table[b[0]] += 8;
            continue;
        }
        for (const uint32_t bin : b) ++table[bin];
    }
    for (size_t i = whole; i < values.size(); ++i) ++table[bin_of(values[i])];
}

Extremes ValueStatistics::add(std::span<const float> values, const Dims& dims) {
    if (histogram_ && !table_) {
        table_.reset(static_cast<uint64_t*>(std::calloc(bins, sizeof(uint64_t))));
        if (!table_) throw std::bad_alloc();
    }
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

void ValueStatistics::add_to(ValueRange& range) const {
    if (count_ == 0) return;
    const bool first = range.count == 0;
    range.min = first ? extremes_.min : std::min(range.min, extremes_.min);
    range.max = first ? extremes_.max : std::max(range.max, extremes_.max);
    range.count += count_;
    for (size_t bin = 0; table_ && bin < bins; ++bin)
        if (table_.get()[bin]) range.histogram.bins[static_cast<uint16_t>(bin)] += table_.get()[bin];
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
