#include "libcore/kernels/codes/geometry.h"

namespace quern::codes {

Geometry geometry_of(const Dims& x, const Dims& out, const Window& window) {
    Geometry g;
    g.batches = x[0];
    const size_t rank = window.rank();
    for (size_t i = 0; i < rank; ++i) {
        const size_t d = i + 3 - rank;
        g.in[d] = x[i + 2];
        g.out[d] = out[i + 2];
        g.kernel[d] = window.kernel[i];
        g.stride[d] = window.stride[i];
        g.dilation[d] = window.dilation[i];
        g.before[d] = window.before[i];
    }
    return g;
}

}  // namespace quern::codes
