#include "libcore/quant/assign/measure_weight.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "libcore/quant/assign/weights.h"

namespace quern {
namespace {

constexpr size_t histogram_bins = 64;
constexpr RealRange nothing{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

void widen(RealRange& range, double lo, double hi) {
    range.lo = std::min(range.lo, lo);
    range.hi = std::max(range.hi, hi);
}

std::vector<Mass> histogram(const std::vector<float>& numbers, const RealRange& observed) {
    if (!(observed.hi > observed.lo)) return {{observed.lo, observed.hi, static_cast<double>(numbers.size())}};
    const double step = (observed.hi - observed.lo) / histogram_bins;
    std::vector<Mass> masses(histogram_bins);
    for (size_t i = 0; i < histogram_bins; ++i)
        masses[i] = {observed.lo + static_cast<double>(i) * step, observed.lo + static_cast<double>(i + 1) * step, 0};
    for (const float x : numbers)
        masses[std::min(static_cast<size_t>((static_cast<double>(x) - observed.lo) / step), histogram_bins - 1)].weight += 1;
    return masses;
}

// Elements are [outer, along, inner], scales [outer, blocks, inner], or by channel [along].
struct Layout {
    size_t length = 1, inner = 1, block = 0, blocks = 1;

    Layout(const Dims& dims, const Encoding& e) {
        if (e.per_tensor()) return;
        length = static_cast<size_t>(dims[static_cast<size_t>(e.axis)]);
        inner = static_cast<size_t>(std::accumulate(dims.begin() + e.axis + 1, dims.end(), int64_t{1}, std::multiplies<>()));
        block = static_cast<size_t>(e.block);
        blocks = block ? (length + block - 1) / block : 1;
    }

    // fn(scale, element)
    template <class Fn>
    void each(size_t elements, const Fn& fn) const {
        for (size_t first = 0, along = 0, outer = 0; first < elements; first += inner) {
            const size_t scale = block ? (outer * blocks + along / block) * inner : along;
            for (size_t i = 0; i < inner; ++i) fn(block ? scale + i : scale, first + i);
            if (++along == length) along = 0, ++outer;
        }
    }
};

std::vector<ChannelRange> channels_of(const std::vector<float>& numbers, const Dims& dims, const Encoding& e) {
    const std::vector<float> scales = to_floats(e.scale);
    std::vector<ChannelRange> out(std::min(scales.size(), most_channel_ranges), ChannelRange{nothing, nothing});
    std::vector<ChannelRange*> of;  // by scale
    for (size_t i = 0; i < scales.size(); ++i) {
        const RealRange limits = limits_at(e, {scales[i], e.zero_at(i)});
        of.push_back(&out[i * out.size() / scales.size()]);
        widen(of[i]->range, limits.lo, limits.hi);
    }
    Layout(dims, e).each(numbers.size(), [&](size_t scale, size_t element) {
        const double x = static_cast<double>(numbers[element]);
        widen(of[scale]->observed, x, x);
    });
    return out;
}

}  // namespace

void measure_few_bits(ValueReport& report, const Tensor& weight, const Tensor& codes) {
    if (is_integer(report.encoding.storage) && bits_of(report.encoding.storage) < 4)
        report.sqnr_db = weight_sqnr_db(weight, codes, report.encoding);
}

void measure_weight(ValueReport& report, const Tensor& weight, const Tensor& codes) {
    const Encoding& e = report.encoding;
    report.sqnr_db = weight_sqnr_db(weight, codes, e);
    const std::vector<float> numbers = to_floats(weight);
    if (numbers.empty()) return;
    const auto [least, most] = std::ranges::minmax_element(numbers);
    report.observed = {static_cast<double>(*least), static_cast<double>(*most)};
    report.masses = histogram(numbers, report.observed);
    if (!e.scale.defined() || e.min.defined() || !is_scaled(e.storage)) return;
    report.channels = channels_of(numbers, weight.dims, e);
    report.range = nothing;
    for (const ChannelRange& channel : report.channels) widen(report.range, channel.range.lo, channel.range.hi);
    if (e.per_tensor()) report.channels.clear();
}

}  // namespace quern
