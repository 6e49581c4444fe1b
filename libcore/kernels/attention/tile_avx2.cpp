// All that tile_loops.h includes comes before: it is not for AVX2.
#include <algorithm>
#include <cstring>
#include <limits>

#include "libcore/kernels/attention/tile.h"
#include "libcore/kernels/simd/math.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "libcore/kernels/attention/tile_loops.h"
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

namespace quern::attention {

const TileLoops& avx2_tile_loops() { return own_loops; }

}  // namespace quern::attention
