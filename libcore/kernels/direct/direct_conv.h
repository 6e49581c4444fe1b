// Two-dimensional convolution of one group in tiles (tile.h), as fast as what oneDNN generates. Data have their channels last; few channels
// are read as they lie and copied with their padding.
#pragma once

#include <optional>

#include "libcore/kernels/conv_site.h"
#include "libcore/kernels/direct/tile.h"
#include "libcore/kernels/tile_split.h"
#include "libcore/memory/memory.h"
#include "libcore/os/threads.h"

namespace quern::direct {

class DirectConv {
   public:
    // Why it cannot be a convolution of data of this shape (channels first), whatever the dims that are not known; empty if it can. A graph
    // with its channels last has data like that, too.
    static std::string_view obstacle(const ConvSite& conv, const Shape& x);
    // None of `at` is empty.
    DirectConv(const ConvSite& conv, const SumAndClamp& tail, const ConvSite::Place& at);

    // The data are read as a row-major tensor has them, wherever its channels are.
    bool reads_in_place() const { return copied_; }
    // Filter as tile.h has it.
    void run(const float* x, const float* filter, const float* bias, float* out, Memory& memory, ThreadPool& pool) const;

   private:
    struct Geometry {
        int64_t batches, channels, height, width, filters, out_height, out_width;
        int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, before_h, before_w;
    };
    struct Task;
    class Runs;

    int64_t results() const { return geometry_.batches * geometry_.out_height * geometry_.out_width; }
    int64_t tiles() const { return (results() + max_rows_ - 1) / max_rows_; }
    int64_t blocks() const { return (geometry_.filters + tile_columns - 1) / tile_columns; }
    int64_t padded_height() const {
        return (geometry_.out_height - 1) * geometry_.stride_h + (geometry_.kernel_h - 1) * geometry_.dilation_h + 1;
    }
    int64_t padded_width() const { return (geometry_.out_width - 1) * geometry_.stride_w + geometry_.kernel_w; }
    Buffer padded(const float* x, Memory& memory, ThreadPool& pool) const;
    void run_part(const Task& task, const TileSplit& parts, int64_t part) const;

    Geometry geometry_;
    SumAndClamp tail_;
    bool last_ = false;
    bool copied_ = false;  // the input is copied with its padding: a row of the kernel is one run
    int64_t max_rows_;
};

}  // namespace quern::direct
