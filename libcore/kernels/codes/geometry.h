// Windows over data that have their channels last, as the kernels on codes walk them.
#pragma once

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

// Calls result(r, image, place) for results [begin, end), where `image` is the batch's number; and of one result, tap(number, place) for
// every tap, with the place's number in its image, or -1 beside it.
class Walk {
   public:
    explicit Walk(const Geometry& geometry) : g_(geometry) {}

    template <class Fn>
    void results(int64_t begin, int64_t end, const Fn& result) const {
        int64_t batch = begin / (g_.out[0] * g_.out[1] * g_.out[2]);
        Space place{begin / (g_.out[2] * g_.out[1]) % g_.out[0], begin / g_.out[2] % g_.out[1], begin % g_.out[2]};
        for (int64_t r = begin; r < end; ++r) {
            result(r, batch, place);
            if (++place[2] < g_.out[2]) continue;
            place[2] = 0;
            if (++place[1] < g_.out[1]) continue;
            place[1] = 0;
            if (++place[0] < g_.out[0]) continue;
            place[0] = 0;
            ++batch;
        }
    }

    template <class Fn>
    void taps(const Space& place, const Fn& tap) const {
        Space first;
        for (size_t d = 0; d < 3; ++d) first[d] = place[d] * g_.stride[d] - g_.before[d];
        int64_t number = 0;
        for (int64_t a = 0; a < g_.kernel[0]; ++a) {
            const int64_t depth = first[0] + a * g_.dilation[0];
            for (int64_t b = 0; b < g_.kernel[1]; ++b) {
                const int64_t row = first[1] + b * g_.dilation[1];
                const bool there = depth >= 0 && depth < g_.in[0] && row >= 0 && row < g_.in[1];
                const int64_t line = (depth * g_.in[1] + row) * g_.in[2];
                for (int64_t c = 0; c < g_.kernel[2]; ++c, ++number) {
                    const int64_t column = first[2] + c * g_.dilation[2];
                    tap(number, there && column >= 0 && column < g_.in[2] ? line + column : -1);
                }
            }
        }
    }

   private:
    const Geometry& g_;
};

// Does the whole window of a result lie in the data?
bool is_inside(const Geometry& geometry, const Space& place);

// Where the taps of results [begin, end) begin, at most most_rows of them: starts[taps][most_rows] (dot.h). `x` has `pixel` bytes a place;
// taps beside the data begin at `padding`.
void point_at_taps(const Geometry& geometry, int64_t begin, int64_t end, const uint8_t* x, int64_t pixel, const uint8_t* padding,
                   const uint8_t** starts);

}  // namespace quern::codes
