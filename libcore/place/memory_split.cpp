#include "libcore/place/memory_split.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/place/cost.h"

namespace quern::place {

Partition MemorySplitter::part_of(const std::vector<size_t>& units, Range range, const std::string& device) {
    Partition part;
    part.device = device;
    for (size_t i = range.first; i < range.second; ++i) {
        const auto& members = units_.members[units[i]];
        part.nodes.insert(part.nodes.end(), members.begin(), members.end());
    }
    ends_.find(part);
    return part;
}

bool MemorySplitter::fits(const std::vector<size_t>& units, Range range, const std::string& device) {
    return memory_of(graph_, part_of(units, range, device), target_).fits();
}

// The end of the longest part from `begin` that fits, found by doubling and halving: that what is longer needs more is the rule, and
// where it does not hold a part is shorter than it could be.
size_t MemorySplitter::longest(const std::vector<size_t>& units, size_t begin, const std::string& device) {
    size_t good = begin + 1, bad = units.size() + 1;
    for (size_t step = 1; good < units.size() && bad > units.size(); step *= 2) {
        const size_t next = std::min(good + step, units.size());
        (fits(units, {begin, next}, device) ? good : bad) = next;
    }
    while (good < units.size() && bad - good > 1) {
        const size_t middle = good + (bad - good) / 2;
        (fits(units, {begin, middle}, device) ? good : bad) = middle;
    }
    return good;
}

std::vector<Partition> MemorySplitter::split(const std::vector<size_t>& units, const std::string& device) {
    std::vector<Partition> out;
    out.push_back(part_of(units, {0, units.size()}, device));
    if (units.size() < 2 || !bounded(target_, device)) return out;
    const PartitionMemory whole = memory_of(graph_, out.front(), target_);
    if (whole.fits()) return out;
    told_ = {device, 0, 0, whole.misfit(), graph_.node(out.front().nodes[whole.peak_step]).name};
    std::vector<Range> ranges;
    for (size_t begin = 0; begin < units.size(); begin = ranges.back().second) {
        Range next{begin, longest(units, begin, device)};
        while (!ranges.empty() && fits(units, {ranges.back().first, next.second}, device)) {
            next.first = ranges.back().first;
            ranges.pop_back();
        }
        ranges.push_back(next);
    }
    out.clear();
    for (const Range& range : ranges) out.push_back(part_of(units, range, device));
    return out;
}

double split_seconds(const Graph& graph, const Target& target, const Partitions& partitions) {
    double seconds = 0;
    for (const MemorySplit& split : partitions.memory_splits) {
        if (split.device == cpu_device) continue;
        std::set<ValueId> out, waiting;
        for (int p = split.first; p < split.first + split.parts; ++p) {
            const Partition& part = partitions.parts[static_cast<size_t>(p)];
            for (const ValueId value : part.inputs) {
                if (!out.contains(value)) continue;
                if (waiting.insert(value).second) seconds += transfer_seconds(target, split.device, cpu_device, graph.value(value));
                seconds += transfer_seconds(target, cpu_device, split.device, graph.value(value));
            }
            out.insert(part.outputs.begin(), part.outputs.end());
        }
    }
    return seconds;
}

}  // namespace quern::place
