#include "libcore/kernels/codes/geometry.h"

#include "libcore/kernels/codes/dot.h"

namespace quern::codes {

namespace {

// Of results that read the place of the same number: the dims of an image do not matter.
Geometry in_one_line(const Geometry& g) {
    Geometry line;
    line.batches = g.batches;
    line.in[2] = line.out[2] = g.out[0] * g.out[1] * g.out[2];
    return line;
}

}  // namespace

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
    return g.taps() == 1 && g.in == g.out && g.before == Space{0, 0, 0} ? in_one_line(g) : g;
}

namespace {

// A line of the windows of `count` results side by side, of which the first one's begins at `column` of the data at `from`.
struct WindowLine {
    const uint8_t* from;  // nullptr beside the data
    int64_t column, count;
};

// Taps of `count` results, `step` bytes apart.
void point_inside(const uint8_t* at, int64_t count, int64_t step, const uint8_t** to) {
    for (; count >= 4; count -= 4, at += 4 * step, to += 4) {
        to[0] = at;
        to[1] = at + step;
        to[2] = at + 2 * step;
        to[3] = at + 3 * step;
    }
    for (; count > 0; --count, at += step) *to++ = at;
}

void point_at_line(const Geometry& g, const WindowLine& line, int64_t pixel, const uint8_t* padding, const uint8_t** to) {
    const int64_t taps = g.kernel[2], stride = g.stride[2], last = line.column + (taps - 1) * g.dilation[2] + (line.count - 1) * stride;
    if (line.from && line.column >= 0 && last < g.in[2]) {
        const uint8_t* at = line.from + line.column * pixel;
        for (int64_t c = 0; c < taps; ++c, at += g.dilation[2] * pixel, to += max_rows) point_inside(at, line.count, stride * pixel, to);
        return;
    }
    for (int64_t c = 0; c < taps; ++c, to += max_rows)
        for (int64_t i = 0; i < line.count; ++i) {
            const int64_t column = line.column + c * g.dilation[2] + i * stride;
            to[i] = line.from && column >= 0 && column < g.in[2] ? line.from + column * pixel : padding;
        }
}

}  // namespace

void point_at_taps(const Geometry& g, Cursor& at, int64_t count, const uint8_t* x, int64_t pixel, const uint8_t* padding,
                   const uint8_t** starts) {
    const int64_t line_bytes = g.in[2] * pixel, image_bytes = g.in[0] * g.in[1] * line_bytes;
    at.advance(count, [&](int64_t batch, const Space& place, int64_t run) {
        const uint8_t* image = x + batch * image_bytes;
        each_line(g, place, [&](int64_t tap, const Line& line) {
            point_at_line(g, {line.there ? image + line.number * line_bytes : nullptr, line.first, run}, pixel, padding,
                          starts + tap * max_rows);
        });
        starts += run;
    });
}

}  // namespace quern::codes
