// Products of 8-bit codes with real results, by profile onnx: what their kernels have in common, whatever the product is.
//
// Data of fixed encoding: float(sum + bias) * (scale of data * scale of weights), the bias being codes. Dynamic data: reals.h, with a bias
// of real numbers.
#pragma once

#include "libcore/kernels/codes/reals.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/kernels/kernel.h"

namespace quern::codes {

// Why no kernel takes the site: one of codes (input 0) and constant weights in codes (input 1); empty if one may.
std::string_view real_product_obstacle(const Site& site);

// The constants: the weights packed as they are stored (uint8 less 128), their sums, scales and zero points.
class RealConstants {
   public:
    RealConstants(const Site& site, const WeightLayout& layout);

    const Weights& weights() const { return weights_; }
    bool is_dynamic() const { return !zero_; }
    // Of dynamic data with the bias of input 2, one number or one a column; without if it is absent. Throws Exit::bad_input.
    RealsParameters reals(KernelCtx& ctx) const;
    Slice slice(KernelCtx& ctx) const;      // that all data are
    uint8_t padding(KernelCtx& ctx) const;  // the byte beside the data
    std::vector<ValueId> held() const { return held_; }

   private:
    std::optional<uint8_t> zero_;  // of fixed data, as a byte: the biases of the weights have it in them
    Weights weights_;
    RealsParameters reals_;
    std::vector<ValueId> held_;
};

}  // namespace quern::codes
