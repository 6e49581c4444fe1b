// What the rows of kernels on codes ask of their sites.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::codes {

inline const Encoding& encoding_at(const Site& site, size_t i) { return *site.value(site.first().in[i]).enc; }
// Of a product: is there an input 2?
inline bool has_bias(const Site& site) { return site.first().in.size() > 2 && site.first().in[2] != ValueId::none; }
// How many bits codes with one scale have, 8 or 16; 0 for all else.
int code_bits(const std::optional<Encoding>& encoding);
inline bool is_byte_codes(const std::optional<Encoding>& encoding) { return code_bits(encoding) == 8; }
// Are input 0 and the result in 8-bit codes with one scale each?
bool has_8_bits(const Site& site);
// Is the arithmetic that of profile onnx?
bool computes_as_onnx(const Site& site);

}  // namespace quern::codes
