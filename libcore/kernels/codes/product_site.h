// What kernels of products of codes read from their site, whatever the product is.
#pragma once

#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/weight_parts.h"
#include "libcore/kernels/kernel.h"

namespace quern::codes {

// Why no kernel takes the site; empty if one may.
std::string_view product_obstacle(const Site& site);           // of a product with constant weights
std::string_view computed_product_obstacle(const Site& site);  // of two computed operands, one scale each

// Why a product of this depth has none: the sums of its parts would not fit; empty if they do.
std::string_view depth_obstacle(const Site& site, int64_t depth);

// Data, weights or result of more than 8 bits: the sums are joined in 64 bits (weight_parts.h).
bool is_joined(const Site& site);
// Bytes of codes of operand i, and of its zero point as unsigned numbers.
size_t parts_of(const Site& site, size_t i);
std::vector<uint8_t> zero_parts(const Site& site, size_t i);

// How the sums of a product become codes; `with_bias`: its data is there.
SumCodes sum_codes_of(const Site& site, size_t channels, bool with_bias);

// The constants of a product with constant weights (input 1) and bias (input 2, if there is one).
class ProductConstants {
   public:
    // `weights`: where their codes lie, if not as in the constant.
    ProductConstants(const Site& site, const WeightLayout& layout, const std::byte* weights = nullptr);

    const WeightLayout& layout() const { return weights_.layout(); }
    ProductParts parts() const { return {weights_.weights(), padding_}; }
    const FinishParameters& finish() const { return finish_; }
    DType storage() const { return storage_; }  // of the result
    std::vector<Bytes> state() const { return weights_.state(); }
    std::vector<ValueId> held() const { return held_; }

   private:
    std::vector<uint8_t> padding_;
    DType storage_;
    WeightParts weights_;
    FinishParameters finish_;
    std::vector<ValueId> held_;
};

}  // namespace quern::codes
