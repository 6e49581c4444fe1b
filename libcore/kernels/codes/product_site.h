// What kernels of products of codes read from their site, whatever the product is.
#pragma once

#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/kernels/kernel.h"

namespace quern::codes {

// Why no kernel takes the site; empty if one may.
std::string_view product_obstacle(const Site& site);           // of a product with constant weights
std::string_view computed_product_obstacle(const Site& site);  // of two computed operands, one scale each

// How the sums of a product become codes; `with_bias`: its data is there.
SumCodes sum_codes_of(const Site& site, size_t channels, bool with_bias);

// The constants of a product with constant weights (input 1) and bias (input 2, if there is one).
class ProductConstants {
   public:
    ProductConstants(const Site& site, const WeightLayout& layout);

    const Weights& weights() const { return weights_; }
    const FinishParameters& finish() const { return finish_; }
    uint8_t padding() const { return padding_; }  // the data's zero as a byte
    DType storage() const { return storage_; }    // of the result
    std::vector<ValueId> held() const { return held_; }

   private:
    uint8_t padding_;
    DType storage_;
    Weights weights_;
    FinishParameters finish_;
    std::vector<ValueId> held_;
};

}  // namespace quern::codes
