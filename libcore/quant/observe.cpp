#include "libcore/quant/observe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "libcore/base/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quern {
namespace {

constexpr size_t bins = 65536;
constexpr size_t block = 4096;  // elements scanned and counted while they are in the first-level cache
constexpr size_t lanes = 16, accumulators = 4, stride = lanes * accumulators;
constexpr uint32_t magnitude = 0x7fffffffu, infinity = 0x7f800000u;  // of a pattern; patterns above are NaN

using Floats = float __attribute__((vector_size(lanes * 4)));
using Words = uint32_t __attribute__((vector_size(lanes * 4)));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define QUERN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define QUERN_X86 1
#else
#define QUERN_CLONES
#endif

// False if an element is NaN or infinite. `count` is a multiple of `stride`. Several accumulators, so that no step waits for the last.
QUERN_CLONES bool scan_lanes(const float* values, size_t count, float* least, float* greatest) {
    Floats lo[accumulators], hi[accumulators];
    Words odd{};
#pragma GCC unroll 4
    for (size_t k = 0; k < accumulators; ++k) {
        std::memcpy(&lo[k], values + k * lanes, sizeof lo[k]);
        hi[k] = lo[k];
    }
    for (size_t i = 0; i < count; i += stride)
#pragma GCC unroll 4
        for (size_t k = 0; k < accumulators; ++k) {
            Floats v;
            Words w;
            std::memcpy(&v, values + i + k * lanes, sizeof v);
            std::memcpy(&w, values + i + k * lanes, sizeof w);
            lo[k] = v < lo[k] ? v : lo[k];
            hi[k] = v > hi[k] ? v : hi[k];
            w &= magnitude;
            odd = w > odd ? w : odd;
        }
#pragma GCC unroll 4
    for (size_t k = 1; k < accumulators; ++k) {
        lo[0] = lo[k] < lo[0] ? lo[k] : lo[0];
        hi[0] = hi[k] > hi[0] ? hi[k] : hi[0];
    }
    uint32_t any = 0;
    for (size_t i = 0; i < lanes; ++i) {
        *least = lo[0][i] < *least ? lo[0][i] : *least;
        *greatest = hi[0][i] > *greatest ? hi[0][i] : *greatest;
        any |= odd[i] >= infinity;
    }
    return any == 0;
}

// The bins of `values` but those of zeros; returns how many. Zeros, which Relu makes plenty of, would wait for each other in one counter.
size_t nonzero_bins_base(const float* values, size_t count, uint32_t* to) {
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<uint32_t>(values[i]);
        to[n] = bits >> 16;
        n += (bits & magnitude) != 0;
    }
    return n;
}

#ifdef QUERN_X86
[[gnu::target("avx512f")]] size_t nonzero_bins_avx512(const float* values, size_t count, uint32_t* to) {
    const __m512i mask = _mm512_set1_epi32(magnitude);
    const size_t whole = count / lanes * lanes;
    size_t n = 0;
    for (size_t i = 0; i < whole; i += lanes) {
        const __m512i bits = _mm512_loadu_si512(values + i);
        const __mmask16 nonzero = _mm512_test_epi32_mask(bits, mask);
        _mm512_storeu_si512(to + n, _mm512_maskz_compress_epi32(nonzero, _mm512_maskz_srli_epi32(nonzero, bits, 16)));
        n += static_cast<size_t>(std::popcount(static_cast<uint32_t>(nonzero)));
    }
    return n + nonzero_bins_base(values + whole, count - whole, to + n);
}
#endif

using NonzeroBins = size_t (*)(const float*, size_t, uint32_t*);
NonzeroBins nonzero_bins() {
#ifdef QUERN_X86
    static const NonzeroBins best = __builtin_cpu_supports("avx512f") ? nonzero_bins_avx512 : nonzero_bins_base;
    return best;
#else
    return nonzero_bins_base;
#endif
}

}  // namespace

std::optional<Extremes> scan(std::span<const float> values) {
    Extremes e;
    const size_t whole = values.size() / stride * stride;
    if (whole && !scan_lanes(values.data(), whole, &e.min, &e.max)) return std::nullopt;
    for (size_t i = whole; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) return std::nullopt;
        e.add({values[i], values[i]});
    }
    e.min += 0.0f;
    e.max += 0.0f;
    return e;
}

void ValueStatistics::Free::operator()(void* table) const { std::free(table); }

// `values` are one block at most.
void ValueStatistics::count_bins(std::span<const float> values) {
    if (!table_) {
        table_.reset(static_cast<uint16_t*>(std::calloc(bins, sizeof(uint16_t))));
        if (!table_) throw std::bad_alloc();
    }
    alignas(64) std::array<uint32_t, block + lanes> found;  // a whole vector is stored at the end
    const size_t count = nonzero_bins()(values.data(), values.size(), found.data());
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
