// Sums of products whose packed weights are more than the weights by an offset for each column (weights.h): what they have too much is
// taken from them. All wraps, as sums do.
#pragma once

#include <cstdint>

namespace quern::codes {

// sums[count][block_columns] less offsets[c] times the sum of each row's data.
void take_row_offsets(const int32_t* offsets, const int32_t* row_sums, int64_t count, int32_t* sums);
// sums[count][block_columns] less offsets[c] times the sum of each row's and column's data.
void take_column_offsets(const int32_t* offsets, const int32_t* column_sums, int64_t count, int32_t* sums);

}  // namespace quern::codes
