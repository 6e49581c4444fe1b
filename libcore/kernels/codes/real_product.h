// Products with real results of data that were rounded to codes: what their kernels have in common, whatever the product is.
#pragma once

#include "libcore/kernels/codes/reals.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/kernels/kernel.h"

namespace quern::codes {

// Why no kernel takes the site: one of dynamic codes (input 0) and constant weights in codes (input 1); empty if one may.
std::string_view real_product_obstacle(const Site& site);

// The constants: the weights packed as they are stored (uint8 less 128), their sums, scales and zero points.
class RealConstants {
   public:
    RealConstants(const Site& site, const WeightLayout& layout);

    const Weights& weights() const { return weights_; }
    // With the bias of input `i`, one number or one a column; without if it is absent. Throws Exit::bad_input.
    RealsParameters reals(KernelCtx& ctx, size_t i) const;
    std::vector<ValueId> held() const { return {weights_id_}; }

   private:
    Weights weights_;
    RealsParameters reals_;
    ValueId weights_id_;
};

// The slice that dynamic codes of input 0 are.
Slice dynamic_slice(KernelCtx& ctx);

}  // namespace quern::codes
