// What is taken from each place of a window over images [N, H, W, C].
#include <algorithm>
#include <array>
#include <limits>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/window.h"

namespace quern::tensorflow_format {
namespace {

struct Taps {
    Ints kernel, strides, rates;
    std::array<int64_t, 2> counts{}, before{}, after{};  // windows, and what is padded
};

std::optional<Taps> taps_of(Site& site, const std::optional<Ints>& kernel) {
    if (site.rank(0) != 4) throw bad_input("works on rank {}, need 4", site.rank(0));
    const auto strides = spatial_numbers(site, "strides", 4), rates = spatial_numbers(site, "rates", 4);
    const std::string padding = site.word("padding", "VALID");
    if (!kernel || !strides || !rates || (padding != "SAME" && padding != "VALID") || (*kernel)[0] * (*kernel)[1] > 256)
        return std::nullopt;
    Taps taps{.kernel = *kernel, .strides = *strides, .rates = *rates};
    for (size_t i = 0; i < 2; ++i) {
        const int64_t length = site.dim(0, static_cast<int64_t>(i) + 1), wide = (taps.kernel[i] - 1) * taps.rates[i] + 1,
                      step = taps.strides[i];
        if (length < 1) return std::nullopt;
        taps.counts[i] = padding == "SAME" ? (length + step - 1) / step : (length - wide + step) / step;
        if (taps.counts[i] < 1) throw bad_input("a window of {} over {}", wide, length);
        const int64_t total = std::max<int64_t>((taps.counts[i] - 1) * step + wide - length, 0);
        taps.before[i] = total / 2;
        taps.after[i] = total - taps.before[i];
    }
    return taps;
}

// One tensor [N, rows, columns, C] for each place of the window.
Values taken(Site& site, const Taps& taps, double outside) {
    ValueId x = site.in(0);
    if (taps.before[0] + taps.before[1] + taps.after[0] + taps.after[1] > 0)
        x = site.add(ops::Pad, {x, site.integers({0, taps.before[0], taps.before[1], 0, 0, taps.after[0], taps.after[1], 0}),
                                site.scalar(outside, site.dtype(0))});
    Values parts;
    for (int64_t row = 0; row < taps.kernel[0]; ++row)
        for (int64_t column = 0; column < taps.kernel[1]; ++column) {
            const Ints starts{row * taps.rates[0], column * taps.rates[1]};
            const Ints ends{starts[0] + (taps.counts[0] - 1) * taps.strides[0] + 1, starts[1] + (taps.counts[1] - 1) * taps.strides[1] + 1};
            parts.push_back(
                site.add(ops::Slice, {x, site.integers(starts), site.integers(ends), site.integers({1, 2}), site.integers(taps.strides)}));
        }
    return parts;
}

bool patches(Site& site) {
    const auto taps = taps_of(site, spatial_numbers(site, "ksizes", 4));
    return taps && give(site, joined(site, taken(site, *taps, 0), 3));
}

// The greatest sum of the data and the filter [kernel..., C]; what is outside does not count.
bool dilation(Site& site) {
    if (!is_float(site.dtype(0)) || site.rank(1) != 3) return false;
    const Ints kernel{site.dim(1, 0), site.dim(1, 1)};
    const auto taps = kernel[0] < 1 || kernel[1] < 1 ? std::nullopt : taps_of(site, kernel);
    if (!taps) return false;
    Values sums;
    const Values parts = taken(site, *taps, -std::numeric_limits<double>::infinity());
    const ValueId filter = site.reshape(site.in(1), {kernel[0] * kernel[1], site.dim(1, 2)});
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        sums.push_back(site.add(ops::Add, {parts[i], cut(site, filter, at, at + 1, 0)}));
    }
    return give(site, sums.size() == 1 ? sums[0] : site.add(ops::Max, sums));
}

constexpr std::array patches_table{
    MapRow{"Dilation2D", "Slice Add Max", dilation},
    MapRow{"ExtractImagePatches", "Slice Concat", patches},
};

}  // namespace

std::span<const MapRow> patch_rows() { return patches_table; }

}  // namespace quern::tensorflow_format
