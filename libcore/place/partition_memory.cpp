#include "libcore/place/partition_memory.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/memory/plan.h"
#include "libcore/place/cost.h"
#include "libcore/report/html.h"
#include "libcore/support/units.h"

namespace quern::place {
namespace {

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
        if (part_.device == cpu_device) keep_callers(end);
        return std::move(ranges_);
    }

   private:
    // On the host the model's inputs and results lie where its caller put them, from the begin to the end: nothing else gets their place.
    void keep_callers(size_t end) {
        for (LiveRange& range : ranges_)
            if (graph_.is_input(range.value) || graph_.is_output(range.value)) range.first = 0, range.last = end;
    }
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

// Are the nodes those of one unit?
bool one_unit(const Graph& graph, const Partition& part) {
    return !part.nodes.empty() && std::all_of(part.nodes.begin(), part.nodes.end() - 1, [&](NodeId id) {
        const std::vector<ValueId>& made = graph.node(id).out;
        return std::all_of(made.begin(), made.end(), [&](ValueId out) { return out == ValueId::none || inside_unit(graph, out); });
    });
}

void lay_out(PartitionMemory& memory) {
    std::vector<Lifetime> lifetimes;
    for (const LiveRange& range : memory.ranges) lifetimes.push_back({static_cast<size_t>(range.bytes), range.first, range.last + 1});
    const Plan plan = plan_memory(lifetimes);
    memory.arena_bytes = plan.bytes;
    for (size_t i = 0; i < memory.ranges.size(); ++i) memory.ranges[i].offset = plan.offsets[i];
}

std::string needs_of(const PartitionMemory& m) {
    if (m.fits()) return "";
    if (!m.room().holds(0, m.weights_at_once()) && !m.shared()) return needs(m.weights_at_once(), m.weights) + " for weights";
    return needs(m.needed(), m.memory) +
           (m.shared() ? fmt::format(" (arena {}, weights {})", human(m.arena_bytes), human(m.weights_at_once())) : "");
}

// What the largest stripe needs is what the unit needs.
void take(PartitionMemory& memory, Stripes stripes) {
    memory.ranges.clear();
    for (const auto& [value, bytes] : stripes.values) memory.ranges.push_back({value, bytes, 0, memory.last_step, 0});
    memory.stripes = std::move(stripes);
    lay_out(memory);
    memory.peak_bytes = 0;
    for (const LiveRange& range : memory.ranges) memory.peak_bytes += range.bytes;
}

// The stripe that needs least.
std::string smallest_of(const Stripes& s) {
    if (s.count == 1) return "a group of its channels";
    return s.rows == 1 ? "a stripe of a row" : fmt::format("a stripe of {} rows ({} stripes are the limit)", s.rows, max_stripes);
}

void run_in_stripes(const Graph& graph, const Partition& part, const Target& target, const Device& device, PartitionMemory& memory) {
    memory.whole = needs_of(memory);
    const Striping found = in_stripes(graph, part, memory.weight_bytes, device, memory.room());
    if (!found.stripes) {
        PartitionMemory smallest = memory;
        if (found.refusal.empty()) take(smallest, found.smallest);
        memory.unstriped =
            found.refusal.empty() ? needs_of(smallest) + " for " + smallest_of(found.smallest) : memory.whole + "; " + found.refusal;
        return;
    }
    const double rate = reading_rate(target, device);
    Stripes stripes = *found.stripes;
    stripes.seconds = rate > 0 ? static_cast<double>(stripes.read_again) / rate : 0;
    take(memory, std::move(stripes));
}

}  // namespace

std::string PartitionMemory::misfit() const {
    if (fits()) return "";
    return unstriped.empty() ? needs_of(*this) : unstriped;
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
    out.last_step = partition.nodes.empty() ? 0 : partition.nodes.size() - 1;
    std::vector<int64_t> change(partition.nodes.size() + 1, 0);
    for (const LiveRange& range : out.ranges) {
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
    lay_out(out);
    const Device* device = find_device(target, partition.device);
    if (!device) return out;
    if (const Memory* memory = find_memory(target, device->memory)) out.memory = *memory;
    if (const Memory* weights = find_memory(target, device->weights)) out.weights = *weights;
    const bool striped = device->stripes_rows || device->stripes_channels;
    if (striped && !target.compiler_decides && !out.fits() && one_unit(graph, partition))
        run_in_stripes(graph, partition, target, *device, out);
    return out;
}

}  // namespace quern::place
