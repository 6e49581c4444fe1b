// Products of codes with real results: what their kernels have in common, whatever the product is.
//
// Profile onnx, data of fixed encoding: float(sum + bias) * (scale of data * scale of weights), the bias being codes. Dynamic data, and
// real ones that the product itself rounds (ops/integer/hybrid.h): reals.h, with a bias of real numbers.
#pragma once

#include "libcore/kernels/codes/reals.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/kernels/kernel.h"
#include "libcore/ops/integer/hybrid.h"

namespace quern::codes {

// Why no kernel takes the site: data like that (input 0) and constant weights in codes (input 1); empty if one may.
std::string_view real_product_obstacle(const Site& site);

// The data as bytes, and the slices that they were rounded in: one for all, or as many as asked for.
struct RoundedData {
    std::shared_ptr<const void> owner;
    const uint8_t* data;
    std::vector<Slice> slices;
    std::optional<uint8_t> fixed_zero;  // of fixed data
    uint8_t padding(size_t slice) const { return fixed_zero ? *fixed_zero : static_cast<uint8_t>(slices[slice].zero); }
};

// `count` numbers in slices of one length, each rounded by itself (hybrid.h): bytes whose zero point is the least code's distance from 0.
RoundedData rounded_slices(const float* x, int64_t count, int64_t slices, bool symmetric, Memory& memory, ThreadPool& pool);

// How the data are rounded, and the constants: the weights packed, their sums or biases, their scales.
class RoundedProduct {
   public:
    RoundedProduct(const Site& site, const WeightLayout& layout);

    const Weights& weights() const { return weights_; }
    std::string_view kind() const { return hybrid_ ? "hybrid " : zero_ ? "" : "dynamic "; }  // for names
    // The bytes of input 0. Hybrid products round as many slices; `moved`: with the channels of [N, C, spatial...] last.
    RoundedData data(KernelCtx& ctx, int64_t slices, bool moved) const;
    // With the real bias of input 2; without if it is absent. Throws Exit::bad_input.
    RealsParameters reals(KernelCtx& ctx) const;

    std::vector<Bytes> state() const { return weights_.state(); }
    std::vector<ValueId> held() const { return held_; }

   private:
    std::optional<HybridRounding> hybrid_;
    std::optional<uint8_t> zero_;  // of fixed data, as a byte: the biases of the weights have it in them
    Weights weights_;
    RealsParameters reals_;
    std::vector<ValueId> held_;
};

}  // namespace quern::codes
