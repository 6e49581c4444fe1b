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

// Of `count` results side by side, one tap: the first reads the line at `column`, the others `step` columns on each.
struct TapRun {
    const uint8_t* line;
    int64_t columns, column, step, count;
};

void point_at(const TapRun& run, int64_t pixel, const uint8_t* padding, const uint8_t** to) {
    const int64_t last = run.column + (run.count - 1) * run.step;
    if (run.column >= 0 && last < run.columns) {
        const uint8_t* at = run.line + run.column * pixel;
        const int64_t step = run.step * pixel;
        int64_t i = 0;
        for (; i + 4 <= run.count; i += 4, at += 4 * step) {
            to[i] = at;
            to[i + 1] = at + step;
            to[i + 2] = at + 2 * step;
            to[i + 3] = at + 3 * step;
        }
        for (; i < run.count; ++i, at += step) to[i] = at;
    } else {
        int64_t column = run.column;
        for (int64_t i = 0; i < run.count; ++i, column += run.step)
            to[i] = column >= 0 && column < run.columns ? run.line + column * pixel : padding;
    }
}

}  // namespace

void point_at_taps(const Geometry& g, Cursor& at, int64_t count, const uint8_t* x, int64_t pixel, const uint8_t* padding,
                   const uint8_t** starts) {
    const int64_t line_bytes = g.in[2] * pixel, image_bytes = g.in[0] * g.in[1] * line_bytes;
    at.advance(count, [&](int64_t batch, const Space& place, int64_t run) {
        each_line(g, place, [&](int64_t tap, const Line& line) {
            for (int64_t c = 0; c < g.kernel[2]; ++c) {
                const uint8_t** to = starts + (tap + c) * most_rows;
                if (line.there)
                    point_at(
                        {x + batch * image_bytes + line.number * line_bytes, g.in[2], line.first + c * g.dilation[2], g.stride[2], run},
                        pixel, padding, to);
                else
                    std::fill_n(to, run, padding);
            }
        });
        starts += run;
    });
}

}  // namespace quern::codes
