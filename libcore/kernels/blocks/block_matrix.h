// Weights in blocks as products read them: rows of blocks as they lie in a file, one for each column of the product.
#pragma once

#include <cstdint>

#include "libcore/blocks/block_format.h"

namespace quern::block_kernels {

struct BlockMatrix {
    const BlockFormat* format;
    const std::byte* rows;
    int64_t columns, depth;
    size_t row_bytes;
    const std::byte* row(int64_t column) const { return rows + static_cast<size_t>(column) * row_bytes; }
};

}  // namespace quern::block_kernels
