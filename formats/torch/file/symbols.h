// Symbolic sizes: the texts that sympy makes of them.
#pragma once

#include <string_view>

#include "libcore/graph/type.h"

namespace quern::torch_format {

// "Symbol('s77', positive=True, integer=True)", "Integer(4)", or what torch 2.5 writes, "s0" and "4". Expressions of symbols are unknown
// dims: what computes them says them again in nodes.
Dim dim_of(std::string_view expression);

}  // namespace quern::torch_format
