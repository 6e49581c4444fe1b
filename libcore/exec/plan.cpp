#include "libcore/exec/plan.h"

#include <algorithm>
#include <numeric>

namespace quern {
namespace {

constexpr size_t alignment = 64;
constexpr size_t aligned(size_t size) { return (size + alignment - 1) / alignment * alignment; }

bool overlap(const Lifetime& a, const Lifetime& b) { return a.born < b.dies && b.born < a.dies; }

}  // namespace

Plan plan_memory(std::span<const Lifetime> buffers) {
    std::vector<size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return buffers[a].size > buffers[b].size; });
    Plan plan{std::vector<size_t>(buffers.size()), 0};
    std::vector<size_t> placed;  // by ascending offset
    for (const size_t i : order) {
        size_t offset = 0;
        for (const size_t other : placed) {
            if (!overlap(buffers[i], buffers[other])) continue;
            if (plan.offsets[other] >= offset + aligned(buffers[i].size)) break;
            offset = std::max(offset, plan.offsets[other] + aligned(buffers[other].size));
        }
        plan.offsets[i] = offset;
        plan.bytes = std::max(plan.bytes, offset + aligned(buffers[i].size));
        placed.insert(std::upper_bound(placed.begin(), placed.end(), offset, [&](size_t at, size_t p) { return at < plan.offsets[p]; }), i);
    }
    return plan;
}

}  // namespace quern
