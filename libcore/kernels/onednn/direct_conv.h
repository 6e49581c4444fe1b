// Two-dimensional convolution of one group in tiles (tile.h). Nothing is generated, so it is ready at once, and it is as fast as what
// oneDNN generates. Data have their channels last; few channels are read as they lie and copied with their padding.
#pragma once

#include <optional>

#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/ops/window.h"

namespace quern::onednn {

// What follows the sums and the bias: the residual in the destination, a clamp.
struct ConvTail {
    bool sum = false;
    float low, high;
};
// nothing: there is more behind it.
std::optional<ConvTail> conv_tail(const dnnl::post_ops& ops);

class DirectConv {
   public:
    // [N, C, H, W] with a filter [M, C, kernel...] gives `out`; nothing if it is not for this, or the machine has no such loops. `last`:
    // the data come with their channels last.
    static std::optional<DirectConv> make(const Dims& x, const Dims& filter, const Dims& out, const Window& window, bool last,
                                          const dnnl::primitive_attr& attr);

    // Layouts, channels first: of the data, of the filter, of the result.
    dnnl::memory::desc src() const;
    static dnnl::memory::desc filter(const Dims& dims);
    dnnl::memory::desc dst() const;
    void run(const float* x, const float* filter, const float* bias, float* out, Memory& memory) const;

   private:
    struct Geometry {
        int64_t batches, channels, height, width, filters, out_height, out_width;
        int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, before_h, before_w;
    };
    // How many parts the work is cut into: runs of results, and runs of blocks of channels.
    struct Split {
        int64_t rows, blocks;
    };
    class Runs;

    int64_t results() const { return geometry_.batches * geometry_.out_height * geometry_.out_width; }
    int64_t tiles() const { return (results() + most_rows_ - 1) / most_rows_; }
    int64_t padded_height() const {
        return (geometry_.out_height - 1) * geometry_.stride_h + (geometry_.kernel_h - 1) * geometry_.dilation_h + 1;
    }
    int64_t padded_width() const { return (geometry_.out_width - 1) * geometry_.stride_w + geometry_.kernel_w; }
    Buffer padded(const float* x, Memory& memory) const;
    Split split(int64_t threads) const;

    Geometry geometry_;
    ConvTail tail_;
    bool last_ = false;
    bool copied_ = false;  // the input is copied with its padding: a row of the kernel is one run
    int64_t most_rows_;
};

}  // namespace quern::onednn
