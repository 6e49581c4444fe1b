// 16-bit floats to and from float32. Encoding rounds to nearest, ties to even.
#pragma once

#include <cstdint>

namespace quern {

float f16_to_float(uint16_t bits);
uint16_t float_to_f16(float value);
float bf16_to_float(uint16_t bits);
uint16_t float_to_bf16(float value);

}  // namespace quern
