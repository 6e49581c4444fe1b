// Samples as runs take them, and the rows that a sample of a batch is made of, each measured as a run of its own.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/quant/collect/feedback.h"

namespace quern {

// Where the samples come from, so that this layer knows no file formats. With feedback the samples are a sequence: they run in order on
// one thread, and `sample` leaves the fed-back inputs undefined.
struct SampleFeed {
    uint64_t count = 0;
    std::function<std::vector<Tensor>(uint64_t)> sample;  // any thread
    std::function<std::string(uint64_t)> place;           // for messages
    std::function<uint64_t(uint64_t)> index;              // keys per-run extremes: the number of its first row
    std::string digest;                                   // a checkpoint of other samples is refused
    Feedback feedback = {};                               // state of the first sample
    // Of a sample that rows fill up to a model's batch: each row counts as a sample, what only fills up does not. Empty: 1.
    std::function<uint64_t(uint64_t)> rows = {};   // that count
    std::function<uint64_t(uint64_t)> batch = {};  // with those that fill up
};

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
