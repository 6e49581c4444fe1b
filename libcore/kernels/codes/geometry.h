// Windows over data that have their channels last, as the kernels on codes walk them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "libcore/kernels/conv_site.h"

namespace quern::codes {

// Depth, height and width; those that are not there are 1.
using Space = std::array<int64_t, 3>;

struct Geometry {
    int64_t batches = 1;
    Space in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, before{0, 0, 0};  // before: padding

    int64_t in_places() const { return batches * in[0] * in[1] * in[2]; }
    int64_t places() const { return batches * out[0] * out[1] * out[2]; }  // results of one channel
    int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// Of dims with channels first.
Geometry geometry_of(const Dims& x, const Dims& out, const Window& window);

// Results in their order, as places.
class Cursor {
   public:
    Cursor(const Geometry& geometry, int64_t result)
        : out_(geometry.out),
          batch_(result / (out_[0] * out_[1] * out_[2])),
          place_{result / (out_[2] * out_[1]) % out_[0], result / out_[2] % out_[1], result % out_[2]} {}

    // Calls stretch(batch, place, count) of the next `count` results, for each run of them that lies in one line.
    template <class Fn>
    void advance(int64_t count, const Fn& stretch) {
        while (count > 0) {
            const int64_t run = std::min(count, out_[2] - place_[2]);
            stretch(batch_, place_, run);
            count -= run;
            if ((place_[2] += run) < out_[2]) continue;
            place_[2] = 0;
            if (++place_[1] < out_[1]) continue;
            place_[1] = 0;
            if (++place_[0] < out_[0]) continue;
            place_[0] = 0;
            ++batch_;
        }
    }

   private:
    const Space out_;
    int64_t batch_;
    Space place_;
};

// Where a line of a window begins.
struct Line {
    bool there;             // or beside the data
    int64_t number, first;  // of the lines of an image; the column of the first tap, which may lie beside it
};

// Calls line(tap, of) for every line of the window of the result at `place`, whose first tap is number `tap`.
template <class Fn>
void each_line(const Geometry& g, const Space& place, const Fn& line) {
    Space first;
    for (size_t d = 0; d < 3; ++d) first[d] = place[d] * g.stride[d] - g.before[d];
    int64_t tap = 0;
    for (int64_t a = 0; a < g.kernel[0]; ++a) {
        const int64_t depth = first[0] + a * g.dilation[0];
        for (int64_t b = 0; b < g.kernel[1]; ++b, tap += g.kernel[2]) {
            const int64_t row = first[1] + b * g.dilation[1];
            line(tap, Line{depth >= 0 && depth < g.in[0] && row >= 0 && row < g.in[1], depth * g.in[1] + row, first[2]});
        }
    }
}

// Calls result(r, image, place) for results [begin, end), where `image` is the batch's number; and of one result, tap(number, place) for
// every tap, with the place's number in its image, or -1 beside it.
class Walk {
   public:
    explicit Walk(const Geometry& geometry) : g_(geometry) {}

    template <class Fn>
    void results(int64_t begin, int64_t end, const Fn& result) const {
        int64_t r = begin;
        Cursor(g_, begin).advance(end - begin, [&](int64_t batch, Space place, int64_t count) {
            for (int64_t i = 0; i < count; ++i, ++place[2]) result(r++, batch, place);
        });
    }

    template <class Fn>
    void taps(const Space& place, const Fn& tap) const {
        each_line(g_, place, [&](int64_t number, const Line& line) {
            for (int64_t c = 0; c < g_.kernel[2]; ++c) {
                const int64_t column = line.first + c * g_.dilation[2];
                tap(number + c, line.there && column >= 0 && column < g_.in[2] ? line.number * g_.in[2] + column : -1);
            }
        });
    }

   private:
    const Geometry& g_;
};

// Where the taps of the next `count` results begin, at most max_rows of them: starts[taps][max_rows] (dot.h). `x` has `pixel` bytes a
// place; taps beside the data begin at `padding`.
void point_at_taps(const Geometry& geometry, Cursor& at, int64_t count, const uint8_t* x, int64_t pixel, const uint8_t* padding,
                   const uint8_t** starts);

}  // namespace quern::codes
