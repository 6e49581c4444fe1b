#include "formats/shared/blocks.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace quern {
namespace {

void need_fitting(size_t rank, size_t blocks, size_t frame) {
    if (blocks >= rank || frame != 2 * blocks) throw bad_input("{} blocks and {} pads or crops for rank {}", blocks, frame, rank);
}

bool all_zero(std::span<const int64_t> items) {
    return std::all_of(items.begin(), items.end(), [](int64_t item) { return item == 0; });
}

}  // namespace

Regrouping space_to_batch(std::span<const int64_t> dims, std::span<const int64_t> block, std::span<const int64_t> frame) {
    const size_t m = block.size(), rank = dims.size();
    need_fitting(rank, m, frame.size());
    Regrouping out{.pads = {}, .apart = {-1}, .order = {}, .together = {-1}, .starts = {}, .ends = {}, .axes = {}};
    if (!all_zero(frame)) out.pads.resize(2 * rank, 0);
    for (size_t i = 0; i < m; ++i) {
        const int64_t b = block[i], before = frame[2 * i], after = frame[2 * i + 1];
        if (b < 1 || before < 0 || after < 0 || before > INT32_MAX || after > INT32_MAX || (dims[i + 1] + before + after) % b != 0)
            throw bad_input("a dimension of {} with pads {} and {} in blocks of {}", dims[i + 1], before, after, b);
        if (!out.pads.empty()) {
            out.pads[i + 1] = before;
            out.pads[rank + i + 1] = after;
        }
        const int64_t blocks = (dims[i + 1] + before + after) / b;
        out.apart.push_back(blocks);
        out.apart.push_back(b);
        out.together.push_back(blocks);
        out.order.push_back(static_cast<int64_t>(2 * i + 2));
    }
    out.order.push_back(0);
    for (size_t i = 0; i < m; ++i) out.order.push_back(static_cast<int64_t>(2 * i + 1));
    for (size_t i = m + 1; i < rank; ++i) {
        out.order.push_back(static_cast<int64_t>(out.apart.size()));
        out.apart.push_back(dims[i]);
        out.together.push_back(dims[i]);
    }
    return out;
}

Regrouping batch_to_space(std::span<const int64_t> dims, std::span<const int64_t> block, std::span<const int64_t> frame) {
    const size_t m = block.size(), rank = dims.size();
    need_fitting(rank, m, frame.size());
    Regrouping out{.pads = {}, .apart = {}, .order = {static_cast<int64_t>(m)}, .together = {-1}, .starts = {}, .ends = {}, .axes = {}};
    for (size_t i = 0; i < m; ++i) {
        const int64_t b = block[i], before = frame[2 * i], after = frame[2 * i + 1];
        if (b < 1 || b > INT32_MAX || dims[i + 1] > INT32_MAX || before < 0 || after < 0 || before > INT32_MAX || after > INT32_MAX ||
            before + after > dims[i + 1] * b)
            throw bad_input("crops {} and {} of {} blocks of {}", before, after, dims[i + 1], b);
        out.apart.push_back(b);
        out.order.push_back(static_cast<int64_t>(m + 1 + i));
        out.order.push_back(static_cast<int64_t>(i));
        out.together.push_back(dims[i + 1] * b);
        if (all_zero(frame)) continue;
        out.starts.push_back(before);
        out.ends.push_back(dims[i + 1] * b - after);
        out.axes.push_back(static_cast<int64_t>(i + 1));
    }
    out.apart.push_back(-1);
    for (size_t i = 1; i < rank; ++i) out.apart.push_back(dims[i]);
    for (size_t i = m + 1; i < rank; ++i) {
        out.order.push_back(static_cast<int64_t>(m + i));
        out.together.push_back(dims[i]);
    }
    return out;
}

}  // namespace quern
