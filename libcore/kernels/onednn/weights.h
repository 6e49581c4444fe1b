// Constant float32 weights of a kernel: as the graph has them until a primitive wants them, then as the last primitive wanted them, or, in
// a context, as one wanted them when it was made. They are there once: in another layout, which other shapes may want, they are made of
// these.
#pragma once

#include "libcore/kernels/kernel.h"
#include "libcore/kernels/onednn/dnnl_value.h"

namespace quern::onednn {

// Weights in the layout of a primitive, and what keeps their memory alive.
struct Laid {
    dnnl::memory memory;
    Bytes bytes;
};

class Weights {
   public:
    Weights() = default;
    // Row-major elements; `transposed`: of the matrix with the two dims exchanged.
    Weights(Dims dims, FloatSource source, bool transposed = false);
    // The first two of the arrays that state() gave. Throws Exit::bad_input unless they are a layout of these dims and its elements.
    Weights(Dims dims, std::span<const Bytes> state);

    bool defined() const { return !dims_.empty(); }
    // The primitive that make(description of the weights) gives: for the layout of the context if there is one, else, or if the primitive
    // does not take it, for the layout that it likes best.
    template <class Make>
    auto primitive(const Make& make) const {
        if (stored_) try {
                return make(desc_);
            } catch (const dnnl::error&) {
            }
        return make(any_desc(dims_));
    }
    // In the layout `want`: in place if they lie so. By one thread at a time.
    Laid laid(const dnnl::memory::desc& want);
    // The arrays that stand for them: layout and elements, as they were laid last.
    std::vector<Bytes> state() const;

   private:
    Bytes data() const { return source_ ? source_() : data_; }

    Dims dims_;
    FloatSource source_;  // before a primitive wanted them
    Bytes data_;
    dnnl::memory::desc desc_;
    bool stored_ = false;
};

}  // namespace quern::onednn
