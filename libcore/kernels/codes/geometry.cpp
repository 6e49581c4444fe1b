#include "libcore/kernels/codes/geometry.h"

#include "libcore/kernels/codes/dot.h"

namespace quern::codes {

Geometry geometry_of(const Dims& x, const Dims& out, const Window& window) {
    Geometry g;
    g.batches = x[0];
    const size_t rank = window.rank();
    for (size_t i = 0; i < rank; ++i) {
        const size_t d = i + 3 - rank;
        g.in[d] = x[i + 2];
        g.out[d] = out[i + 2];
        g.kernel[d] = window.kernel[i];
        g.stride[d] = window.stride[i];
        g.dilation[d] = window.dilation[i];
        g.before[d] = window.before[i];
    }
    return g;
}

bool is_inside(const Geometry& g, const Space& place) {
    for (size_t d = 0; d < 3; ++d) {
        const int64_t first = place[d] * g.stride[d] - g.before[d];
        if (first < 0 || first + (g.kernel[d] - 1) * g.dilation[d] >= g.in[d]) return false;
    }
    return true;
}

void point_at_taps(const Geometry& geometry, int64_t begin, int64_t end, const uint8_t* x, int64_t pixel, const uint8_t* padding,
                   const uint8_t** starts) {
    const Walk walk(geometry);
    const int64_t image = geometry.in[0] * geometry.in[1] * geometry.in[2] * pixel, taps = geometry.taps();
    const int64_t step = geometry.stride[2] * pixel;
    bool was_inside = false;
    walk.results(begin, end, [&](int64_t r, int64_t batch, const Space& place) {
        const uint8_t** to = starts + (r - begin);
        const bool inside = is_inside(geometry, place);
        if (inside && was_inside && place[2] > 0) {  // beside the result before it
            for (int64_t tap = 0; tap < taps; ++tap) to[tap * most_rows] = to[tap * most_rows - 1] + step;
        } else {
            const uint8_t* from = x + batch * image;
            walk.taps(place, [&](int64_t tap, int64_t at) { to[tap * most_rows] = at < 0 ? padding : from + at * pixel; });
        }
        was_inside = inside;
    });
}

}  // namespace quern::codes
