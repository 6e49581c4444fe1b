// Loops over a tile by what the processor has.
#pragma once

#include "libcore/kernels/attention/tile_types.h"

namespace quern::attention {

// Those of isa().
const TileLoops& tile_loops();
const TileLoops& avx2_tile_loops();  // elsewhere than on x86-64 the plain ones

}  // namespace quern::attention
