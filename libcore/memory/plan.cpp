#include "libcore/memory/plan.h"

#include <algorithm>
#include <numeric>

namespace quern {
namespace {

constexpr size_t alignment = 64;
constexpr size_t aligned(size_t size) { return (size + alignment - 1) / alignment * alignment; }

bool overlap(const Lifetime& a, const Lifetime& b) { return a.born < b.dies && b.born < a.dies; }

// Which buffers are there at what time: found by spans of time, of which most lifetimes touch one or two.
class Calendar {
   public:
    explicit Calendar(std::span<const Lifetime> buffers) : buffers_(buffers), seen_(buffers.size(), none) {
        uint64_t end = 1;
        for (const Lifetime& buffer : buffers) end = std::max(end, buffer.dies);
        width_ = end / std::max<size_t>(buffers.size() / 8, 1) + 1;
        spans_.resize(end / width_ + 1);
    }

    void add(size_t i) {
        for (size_t span = first(i); span <= last(i); ++span) spans_[span].push_back(i);
    }

    // Those added that are there while buffer i is.
    std::vector<size_t> beside(size_t i) {
        std::vector<size_t> found;
        for (size_t span = first(i); span <= last(i); ++span)
            for (const size_t other : spans_[span])
                if (seen_[other] != i && overlap(buffers_[i], buffers_[other])) {
                    seen_[other] = i;
                    found.push_back(other);
                }
        return found;
    }

   private:
    static constexpr size_t none = static_cast<size_t>(-1);

    size_t first(size_t i) const { return static_cast<size_t>(buffers_[i].born / width_); }
    size_t last(size_t i) const { return static_cast<size_t>(std::max(buffers_[i].dies, buffers_[i].born) / width_); }

    std::span<const Lifetime> buffers_;
    std::vector<size_t> seen_;  // the last buffer that found this one
    uint64_t width_ = 1;
    std::vector<std::vector<size_t>> spans_;
};

}  // namespace

Plan plan_memory(std::span<const Lifetime> buffers) {
    std::vector<size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return buffers[a].size > buffers[b].size; });
    Plan plan{std::vector<size_t>(buffers.size()), 0};
    Calendar placed(buffers);
    for (const size_t i : order) {
        size_t offset = 0;
        std::vector<size_t> beside = placed.beside(i);
        std::ranges::sort(beside, {}, [&](size_t other) { return plan.offsets[other]; });
        for (const size_t other : beside) {
            if (plan.offsets[other] >= offset + aligned(buffers[i].size)) break;
            offset = std::max(offset, plan.offsets[other] + aligned(buffers[other].size));
        }
        plan.offsets[i] = offset;
        plan.bytes = std::max(plan.bytes, offset + aligned(buffers[i].size));
        placed.add(i);
    }
    return plan;
}

}  // namespace quern
