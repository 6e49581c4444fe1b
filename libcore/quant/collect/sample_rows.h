// The rows that a sample of a batch is made of, each measured as a run of its own.
#pragma once

#include <span>

#include "libcore/quant/collect/collect.h"

namespace quern {

// Those that count, and the batch that they were filled up to.
struct Rows {
    uint64_t count = 1, batch = 1;
};
inline Rows rows_of(const SampleFeed& feed, uint64_t i) { return {feed.rows ? feed.rows(i) : 1, feed.batch ? feed.batch(i) : 1}; }

// fn(row, numbers, dims): each row's part along dim 0, as results are taken apart; what has no such dim belongs to each row.
template <class Fn>
void each_row(const Rows& rows, std::span<const float> values, Dims dims, const Fn& fn) {
    const bool parted = rows.batch > 1 && !dims.empty() && dims[0] > 0 && dims[0] % static_cast<int64_t>(rows.batch) == 0;
    const size_t size = parted ? values.size() / rows.batch : values.size();
    if (parted) dims[0] /= static_cast<int64_t>(rows.batch);
    for (uint64_t row = 0; row < rows.count; ++row) fn(row, values.subspan(parted ? row * size : 0, size), dims);
}

}  // namespace quern
