// QuantizeLinear DequantizeLinear QLinearConv MatMulInteger Recode ...
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {

std::span<const Op> quantized_ops() { return {}; }

}  // namespace quern
