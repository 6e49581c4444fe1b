#include "libcore/place/partition_memory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libcore/memory/plan.h"
#include "libcore/place/cost.h"
#include "libcore/report/html.h"
#include "libcore/support/units.h"

namespace quern::place {
namespace {

uint64_t whole_bytes(const Value& value) {
    constexpr double max = 1e14;
    return static_cast<uint64_t>(std::ceil(std::min(stored_bytes(value), max)));
}

// An integer unit is one step: what any of its nodes reads is needed until the last of them has stored the unit's result.
class Lives {
   public:
    Lives(const Graph& graph, const Partition& part) : graph_(graph), part_(part) {}

    std::vector<LiveRange> run() {
        const size_t end = part_.nodes.empty() ? 0 : part_.nodes.size() - 1;
        for (const ValueId id : part_.inputs) start(id, 0);
        for (size_t step = 0; step < part_.nodes.size(); ++step) {
            const Node& node = graph_.node(part_.nodes[step]);
            const std::vector<ValueId> read = read_by_unit(node);
            for (const ValueId id : read) live(id, step);
            for (const ValueId id : node.out)
                if (id == ValueId::none)
                    continue;
                else if (inside_unit(graph_, id))
                    unstored_[id] = read;
                else
                    start(id, step);
        }
        for (const ValueId id : part_.outputs) live(id, end);
        return std::move(ranges_);
    }

   private:
    // What the node reads, and what the nodes of its unit before it have read.
    std::vector<ValueId> read_by_unit(const Node& node) const {
        std::vector<ValueId> read = values_read(node);
        for (const ValueId id : values_read(node))
            if (const auto found = unstored_.find(id); found != unstored_.end())
                read.insert(read.end(), found->second.begin(), found->second.end());
        return read;
    }
    void start(ValueId id, size_t step) {
        at_[id] = ranges_.size();
        ranges_.push_back({id, whole_bytes(graph_.value(id)), step, step, 0});
    }
    void live(ValueId id, size_t step) {
        if (const auto found = at_.find(id); found != at_.end()) ranges_[found->second].last = step;
    }

    const Graph& graph_;
    const Partition& part_;
    std::map<ValueId, size_t> at_;
    std::map<ValueId, std::vector<ValueId>> unstored_;  // values inside units: what was read for them
    std::vector<LiveRange> ranges_;
};

uint64_t constant_bytes(const Graph& graph, const Partition& part) {
    uint64_t sum = 0;
    std::set<const std::byte*> seen;
    for (const NodeId id : part.nodes)
        for (const ValueId value : values_read(graph.node(id)))
            if (const auto& data = graph.value(value).data; data && seen.insert(data->data()).second) sum += data->size();
    return sum;
}

std::string human(uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

// "needs 412.0 KB of 256.0 KB of sram"; in bytes where both would read the same.
std::string needs(uint64_t bytes, const Memory& memory) {
    if (human(bytes) == human(memory.bytes)) return fmt::format("needs {} of {} bytes of {}", bytes, memory.bytes, memory.name);
    return fmt::format("needs {} of {} of {}", human(bytes), human(memory.bytes), memory.name);
}

}  // namespace

std::string PartitionMemory::misfit() const {
    if (fits()) return "";
    if (!holds(weights, weight_bytes) && !shared()) return needs(weight_bytes, weights) + " for weights";
    return needs(needed(), memory) + (shared() ? fmt::format(" (arena {}, weights {})", human(arena_bytes), human(weight_bytes)) : "");
}

bool bounded(const Target& target, std::string_view name) {
    const Device* device = find_device(target, name);
    const auto limits = [&](const std::string& memory) {
        const Memory* found = find_memory(target, memory);
        return found && found->bytes > 0 && !found->cache;
    };
    return device && !target.compiler_decides && (limits(device->memory) || limits(device->weights));
}

PartitionMemory memory_of(const Graph& graph, const Partition& partition, const Target& target) {
    PartitionMemory out;
    out.ranges = Lives(graph, partition).run();
    out.weight_bytes = constant_bytes(graph, partition);
    std::vector<Lifetime> lifetimes;
    std::vector<int64_t> change(partition.nodes.size() + 1, 0);
    for (const LiveRange& range : out.ranges) {
        lifetimes.push_back({static_cast<size_t>(range.bytes), range.first, range.last + 1});
        change[range.first] += static_cast<int64_t>(range.bytes);
        change[range.last + 1] -= static_cast<int64_t>(range.bytes);
        const Shape& shape = graph.value(range.value).type.shape;
        out.assumed = out.assumed || !shape.fixed();
    }
    int64_t now = 0;
    for (size_t step = 0; step < change.size(); ++step) {
        now += change[step];
        if (now <= static_cast<int64_t>(out.peak_bytes)) continue;
        out.peak_bytes = static_cast<uint64_t>(now);
        out.peak_step = step;
    }
    const Plan plan = plan_memory(lifetimes);
    out.arena_bytes = plan.bytes;
    for (size_t i = 0; i < out.ranges.size(); ++i) out.ranges[i].offset = plan.offsets[i];
    if (const Device* device = find_device(target, partition.device)) {
        if (const Memory* memory = find_memory(target, device->memory)) out.memory = *memory;
        if (const Memory* weights = find_memory(target, device->weights)) out.weights = *weights;
    }
    return out;
}

}  // namespace quern::place
