// How sums of products of codes become codes, by the profiles onnx and tflite: factors and biases, for kernels and for generated code.
// Everything with one item stands for all channels.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// Zero points; one 0 where there are none.
std::vector<int64_t> zeros_of(const Encoding& encoding);

// ---- profile onnx ----
// The scales of the sums: x's times each of w's.
std::vector<float> product_scales(const Encoding& x, const Encoding& w);
// Codes of a bias at the scales of the sums; one that is held otherwise (`encoding` nullptr: real numbers) is rounded to them. A bias that
// is neither one number nor `channels` throws Exit::bad_input. `wide`: the sums have 64 bits, else codes end at those of int32.
std::vector<int64_t> bias_codes(const Tensor& bias, const Encoding* encoding, std::span<const float> scales, size_t channels, bool wide);
// What the sums are multiplied by to be steps of `out`.
std::vector<float> requantization_factors(std::span<const float> scales, const Encoding& out);

// ---- profile tflite ----
// How the scales of x and w are multiplied, and the sum with their product: in fixed point or (`real`) in double.
enum class ProductScaling : uint8_t { float_product, double_product, real };
ProductScaling tflite_scaling(std::string_view op, const Encoding& x, const Encoding& w);  // Conv, ConvTranspose, MatMul, Gemm
std::vector<double> tflite_factors(const Encoding& x, const Encoding& w, const Encoding& out, ProductScaling scaling);
// Are sums kept in 64 bits? `bias`: its encoding, nullptr if there is none.
bool has_wide_sums(const Encoding& x, const Encoding* bias);

}  // namespace quern
