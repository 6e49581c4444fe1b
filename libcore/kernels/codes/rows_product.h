// Convolutions of up to three spatial dims and matrix products of codes, in tiles (dot.h): results are rows, output channels columns. Data
// have their channels last.
#pragma once

#include <array>

#include "libcore/base/threads.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/weights.h"

namespace quern::codes {

// Depth, height and width; those that are not there are 1.
using Space = std::array<int64_t, 3>;

struct RowsGeometry {
    int64_t batches = 1;
    Space in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, before{0, 0, 0};  // before: padding

    int64_t places() const { return batches * out[0] * out[1] * out[2]; }  // results of one column
    int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

class RowsProduct {
   public:
    // `padding`: the byte beside the data. The weights' layout says groups, columns and channels.
    RowsProduct(const RowsGeometry& geometry, const Weights& weights, const FinishParameters& finish, uint8_t padding);

    // x [batches, in..., groups * channels] to out [batches, out..., groups * columns].
    void run(const uint8_t* x, uint8_t* out, ThreadPool& pool) const;

   private:
    // How many parts the work is cut into: runs of results, and runs of blocks of columns (of all groups).
    struct Split {
        int64_t rows, blocks;
    };
    class Tiles;
    struct Part;

    int64_t tiles() const { return (geometry_.places() + most_rows - 1) / most_rows; }
    int64_t all_blocks() const { return layout_.groups * layout_.blocks(); }
    Split even_split(int64_t threads) const;
    Split split(int64_t threads) const;
    void run_part(const uint8_t* x, uint8_t* out, const Split& parts, int64_t part) const;
    void run_blocks(const Tiles& tiles, int64_t first_tile, int64_t count, int64_t group, int64_t first, int64_t last, uint8_t* out) const;

    RowsGeometry geometry_;
    const Weights& weights_;
    const FinishParameters& finish_;
    const WeightLayout& layout_;
    uint8_t padding_;
    bool copied_;  // the taps of a result are laid side by side first: their channels do not fill whole steps, or are few
};

}  // namespace quern::codes
