#include "formats/pictures/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace quern {
namespace {

constexpr int fraction_bits = 22;

struct Filter {
    double support;
    double (*at)(double);
};

double triangle(double x) { return std::max(1.0 - std::abs(x), 0.0); }

double cubic(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
    if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
    return 0.0;
}

// What one place of the result takes from the places of a line.
struct Taps {
    int64_t first = 0;
    std::vector<int32_t> weights;
};

Taps taps_of(int64_t place, int64_t from, double scale, const Filter& filter) {
    const double widened = std::max(scale, 1.0), support = filter.support * widened;
    const double centre = (static_cast<double>(place) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(std::trunc(centre - support + 0.5)), 0);
    const auto end = std::min<int64_t>(static_cast<int64_t>(std::trunc(centre + support + 0.5)), from);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t x = first; x < end; ++x) {
        weights.push_back(filter.at((static_cast<double>(x) - centre + 0.5) * (1.0 / widened)));
        sum += weights.back();
    }
    Taps taps{first, {}};
    for (double weight : weights) {
        if (sum != 0) weight /= sum;
        taps.weights.push_back(static_cast<int32_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << fraction_bits)));
    }
    return taps;
}

std::vector<Taps> all_taps(int64_t from, int64_t to, const Filter& filter) {
    std::vector<Taps> taps;
    for (int64_t i = 0; i < to; ++i) taps.push_back(taps_of(i, from, static_cast<double>(from) / static_cast<double>(to), filter));
    return taps;
}

uint8_t level_of(int32_t sum) { return static_cast<uint8_t>(std::clamp(sum >> fraction_bits, 0, 255)); }

// `stride`: from one place of the line to the next.
uint8_t weighed(const Taps& taps, const uint8_t* line, size_t stride) {
    int32_t sum = 1 << (fraction_bits - 1);
    const uint8_t* from = line + static_cast<size_t>(taps.first) * stride;
    for (const int32_t weight : taps.weights) {
        sum += *from * weight;
        from += stride;
    }
    return level_of(sum);
}

Picture across(const Picture& picture, int64_t width, const Filter& filter) {
    const auto channels = static_cast<size_t>(picture.channels);
    const std::vector<Taps> taps = all_taps(picture.size.width, width, filter);
    Picture out({width, picture.size.height}, picture.channels);
    for (int64_t y = 0; y < out.size.height; ++y) {
        uint8_t* to = out.row(y);
        for (const Taps& place : taps)
            for (size_t c = 0; c < channels; ++c) *to++ = weighed(place, picture.row(y) + c, channels);
    }
    return out;
}

// Row by row, as the picture lies in memory.
Picture down(const Picture& picture, int64_t height, const Filter& filter) {
    const double scale = static_cast<double>(picture.size.height) / static_cast<double>(height);
    Picture out({picture.size.width, height}, picture.channels);
    std::vector<int32_t> sums(out.row_bytes());
    for (int64_t y = 0; y < height; ++y) {
        std::ranges::fill(sums, 1 << (fraction_bits - 1));
        const Taps taps = taps_of(y, picture.size.height, scale, filter);
        for (size_t i = 0; i < taps.weights.size(); ++i) {
            const uint8_t* from = picture.row(taps.first + static_cast<int64_t>(i));
            for (size_t x = 0; x < sums.size(); ++x) sums[x] += from[x] * taps.weights[i];
        }
        uint8_t* to = out.row(y);
        for (const int32_t sum : sums) *to++ = level_of(sum);
    }
    return out;
}

// Pillow adds up the steps, so this does.
std::vector<size_t> nearest_places(int64_t from, int64_t to) {
    const double step = static_cast<double>(from) / static_cast<double>(to);
    std::vector<size_t> places;
    double at = step * 0.5;
    for (int64_t i = 0; i < to; ++i, at += step) places.push_back(std::min(static_cast<size_t>(at), static_cast<size_t>(from - 1)));
    return places;
}

Picture nearest_of(const Picture& picture, const PictureSize& size) {
    const std::vector<size_t> columns = nearest_places(picture.size.width, size.width),
                              rows = nearest_places(picture.size.height, size.height);
    const auto channels = static_cast<size_t>(picture.channels);
    Picture out(size, picture.channels);
    uint8_t* to = out.bytes.data();
    for (const size_t y : rows)
        for (const size_t x : columns) {
            const uint8_t* from = picture.row(static_cast<int64_t>(y)) + x * channels;
            to = std::copy(from, from + channels, to);
        }
    return out;
}

}  // namespace

Picture resized(const Picture& picture, const PictureSize& size, ResizeMethod method) {
    if (size == picture.size) return picture;
    check_picture_size(size);
    if (method == ResizeMethod::nearest) return nearest_of(picture, size);
    const Filter filter = method == ResizeMethod::bilinear ? Filter{1.0, triangle} : Filter{2.0, cubic};
    check_picture_size({size.width, picture.size.height});  // between the two passes
    const Picture wide = size.width == picture.size.width ? picture : across(picture, size.width, filter);
    return size.height == picture.size.height ? wide : down(wide, size.height, filter);
}

Picture window_of(const Picture& picture, int64_t left, int64_t top, const PictureSize& size, uint8_t fill) {
    if (left == 0 && top == 0 && size == picture.size) return picture;
    check_picture_size(size);
    Picture out(size, picture.channels, fill);
    const int64_t from = std::max<int64_t>(left, 0), end = std::min(left + size.width, picture.size.width);
    const auto channels = static_cast<size_t>(picture.channels);
    for (int64_t y = std::max<int64_t>(top, 0); y < std::min(top + size.height, picture.size.height) && from < end; ++y)
        std::memcpy(out.row(y - top) + static_cast<size_t>(from - left) * channels, picture.row(y) + static_cast<size_t>(from) * channels,
                    static_cast<size_t>(end - from) * channels);
    return out;
}

}  // namespace quern
