// Every operator family: one file each, which ends with its rows. table.cpp joins them in this order.
#pragma once

#include <span>

#include "libcore/graph/op.h"

namespace quern {

std::span<const Op> unary_ops();       // unary.cpp       Relu Exp Sigmoid Clip Gelu ...
std::span<const Op> binary_ops();      // binary.cpp      Add Mul Pow Where Min Max comparisons bitwise ...

}  // namespace quern
