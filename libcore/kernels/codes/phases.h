// Transposed convolutions as ordinary ones: results whose places are alike modulo the stride, a phase, read the same taps of the filter.
// A convolution of stride 1 with those taps, the last one first, makes them.
#pragma once

#include <array>
#include <vector>

#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/tile_sink.h"

namespace quern::codes {

// One spatial dim of a transposed convolution, and the taps of the filter that the results `number`, number + stride, ... of the padded
// result read: number + (taps - 1) * stride, ..., number.
struct Spread {
    int64_t in, out, kernel, stride, before;  // before: padding that is cut from the result
    int64_t taps(int64_t number) const { return number < kernel ? (kernel - 1 - number) / stride + 1 : 0; }
    int64_t phases() const { return std::min(stride, kernel); }  // that read any
};

// Results first, first + stride, ... along one dim, with first < stride.
struct Phase {
    int64_t number, taps;
    int64_t first, count;
    int64_t before;  // padding of the convolution that makes them
    Phase(const Spread& spread, int64_t first_);
};

// Rows and columns of one phase of the result.
struct PhasePlace {
    std::array<Spread, 2> spread;
    std::array<Phase, 2> phase;

    // Does it read no tap? It is the bias alone then: geometry() lies beside the data, with the taps of phase 0.
    bool is_empty() const { return phase[0].taps == 0 || phase[1].taps == 0; }
    Geometry geometry(int64_t batches) const;
};

// Makes codes of one phase's sums, among the results [batches, rows, columns][width] of all (tile_sink.h).
class PhaseSink : public TileSink {
   public:
    PhaseSink(const FinishParameters& finish, const PhasePlace& at, uint8_t* out, int64_t width, int64_t next_out)
        : finish_(finish), at_(at), out_(out), width_(width), next_out_(next_out) {}
    void take(const SumsTile& tile) const override;

   private:
    const FinishParameters& finish_;
    const PhasePlace& at_;
    uint8_t* out_;
    int64_t width_, next_out_;
};

}  // namespace quern::codes
