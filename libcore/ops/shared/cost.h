// What cost functions of operator rows share. Bytes count 4 an element: the cost of a node is asked before its encodings are known.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

inline double elements(const Dims& dims) {
    double count = 1;
    for (const int64_t length : dims) count *= static_cast<double>(length);
    return count;
}

inline double moved_bytes(const CostCtx& ctx) {
    double count = 0;
    for (const Dims& dims : ctx.in) count += elements(dims);
    for (const Dims& dims : ctx.out) count += elements(dims);
    return count * 4;
}

}  // namespace quern
