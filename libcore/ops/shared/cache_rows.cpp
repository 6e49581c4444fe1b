#include "libcore/ops/shared/cache_rows.h"

#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/indices.h"

namespace quern {

CacheRowsRule::CacheRowsRule(const NodeView& node) : axis(node.integer("axis")), circular(node.text("mode") == "circular") {
    const std::string mode = node.text("mode");
    if (mode != "linear" && mode != "circular") throw bad_input("mode is \"{}\", need linear or circular", mode);
}

CacheRows::CacheRows(const CacheRowsRule& rule, const Dims& cache, const Dims& update, const Tensor* starts) {
    const size_t axis = normal_axis(rule.axis, cache.size());
    if (axis == 0) throw bad_input("axis 0 is the batch, need another");
    Dims expected = cache;
    if (update.size() == expected.size()) expected[axis] = update[axis];
    const int64_t length = cache[axis];
    if (update != expected || update[axis] > length) throw bad_input("update {} does not fit into {}", to_string(update), to_string(cache));
    starts_ = starts ? indices_of(*starts) : std::vector<int64_t>(static_cast<size_t>(cache[0]));
    if (static_cast<int64_t>(starts_.size()) != cache[0])
        throw bad_input("{} write indices, need {}, one per row of the batch", starts_.size(), cache[0]);
    const int64_t max = rule.circular ? length : length - update[axis];
    for (const int64_t start : starts_)
        if (update[axis] > 0 && (start < 0 || start > max))
            throw bad_input("write index {} is outside of a dimension of {}, for {} rows", start, length, update[axis]);
    outer_ = span_count(cache, 0, axis);
    inner_ = span_count(cache, axis + 1, cache.size());
    per_batch_ = span_count(cache, 1, axis);
    length_ = static_cast<size_t>(length);
    rows_ = static_cast<size_t>(update[axis]);
}

}  // namespace quern
