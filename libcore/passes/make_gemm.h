// Products as Gemm, the operator that is FULLY_CONNECTED in TFLite and Circle files.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

enum class Products { all, on_codes };

// A MatMul by a constant matrix becomes Gemm, with the constant summand behind it as bias; data of more dims as rows. Not in bodies.
int make_gemms(Graph& graph, Products which);

// The factors of a Gemm go into its constants, as far as those are plain, and one number that is added becomes one of each unit. With
// bodies.
int absorb_factors(Graph& graph);

}  // namespace quern
