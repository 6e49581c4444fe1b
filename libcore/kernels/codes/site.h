// What the rows of kernels on codes ask of their sites.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::codes {

inline const Encoding& encoding_at(const Site& site, size_t i) { return *site.value(site.first().in[i]).enc; }
// Are input 0 and the result in 8-bit codes with one scale each?
bool has_8_bits(const Site& site);
// Is the arithmetic that of profile onnx?
bool computes_as_onnx(const Site& site);

}  // namespace quern::codes
