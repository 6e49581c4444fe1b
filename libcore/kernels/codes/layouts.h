// How the weights of products lie in their constant (input 1), and which sites are what.
#pragma once

#include "libcore/kernels/codes/weights.h"
#include "libcore/kernels/conv_site.h"

namespace quern::codes {

// Of Gemm and MatMul: a matrix [K, N], or [N, K].
WeightLayout matrix_layout(const Site& site);
// Why a site of them is not a product of rows by a matrix; empty if it is.
std::string_view matrix_obstacle(const Site& site);

// Of Conv: [M, C, kernel...], or [M, kernel..., C] with its channels last.
WeightLayout conv_layout(const ConvSite& conv);
std::string_view filter_obstacle(const Site& site);
// The node alone, without what the site joins behind it.
ConvSite conv_alone(const Site& site);
// Has each channel weights of its own?
bool is_depthwise(const ConvSite& conv);

}  // namespace quern::codes
