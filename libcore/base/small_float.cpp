#include "libcore/base/small_float.h"

#include "libcore/base/small_float_bits.h"

namespace quern {

float f16_to_float(uint16_t bits) { return bits::from_f16(bits); }
uint16_t float_to_f16(float value) { return bits::to_f16(value); }
float bf16_to_float(uint16_t bits) { return bits::from_bf16(bits); }
uint16_t float_to_bf16(float value) { return bits::to_bf16(value); }

}  // namespace quern
