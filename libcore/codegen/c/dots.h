// Products of codes for speed: by dot products of rows (kernel conv_rows) or, where each channel is alone, of taps (conv_taps), with
// weights laid out for them. The texts are in codegen/c/kernels/dot.h.
#pragma once

#include "libcore/codegen/c/product.h"
#include "libcore/integer/shapes.h"

namespace quern::cgen {

// Writes the product of the inputs 0 and 1, the weights, with the steps that `sizes` has; `tflite`: by that profile, else by onnx. False if
// the source takes none, or for operands, channels or sums that these kernels do not take.
bool emit_dots(Emit& e, const conv_t& sizes, Product product, std::optional<ProductScaling> tflite);

}  // namespace quern::cgen
