#include "libcore/kernels/attention/tile.h"

#include "libcore/kernels/attention/tile_loops.h"
#include "libcore/kernels/isa.h"

namespace quern::attention {

const TileLoops& tile_loops() { return isa() == Isa::base ? own_loops : avx2_tile_loops(); }

}  // namespace quern::attention
