// What a partition needs of its device's memory: how long each of its values is needed, and where they lie in one arena. A unit that does
// not fit by itself may run in stripes, of which the largest counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/place/partition.h"
#include "libcore/place/stripes.h"

namespace quern::place {

struct LiveRange {
    ValueId value = ValueId::none;
    uint64_t bytes = 0;          // as stored
    size_t first = 0, last = 0;  // nodes of the partition by place: inputs live from 0, outputs to the last node
    size_t offset = 0;           // in the arena
};

struct PartitionMemory {
    std::vector<LiveRange> ranges;  // of inputs, results and what lies between; values inside integer units are not stored
    uint64_t arena_bytes = 0;       // of a plan by memory/plan.h
    uint64_t peak_bytes = 0;        // needed at once, of which no plan can do with less
    size_t peak_step = 0;           // the node, by place, at which it is
    uint64_t weight_bytes = 0;      // constants, as stored: they do not count towards the arena
    Memory memory, weights;         // of the device; without a name: none is stated
    bool assumed = false;           // a shape has dims that are not known: counted as in cost.h

    size_t last_step = 0;
    std::optional<Stripes> stripes;  // then the arena, its peak and its ranges are those of the largest
    std::string whole;               // then: what the unit needs in one piece, as misfit() says it

    bool shared() const { return !memory.name.empty() && memory.name == weights.name; }
    uint64_t weights_at_once() const { return stripes ? stripes->weight_bytes : weight_bytes; }
    uint64_t needed() const { return arena_bytes + (shared() ? weights_at_once() : 0); }  // of `memory`
    Room room() const { return {memory.cache ? 0 : memory.bytes, weights.cache ? 0 : weights.bytes, shared()}; }
    bool fits() const { return room().holds(arena_bytes, weights_at_once()); }
    std::string misfit() const;  // "needs 412.0 KB of 256.0 KB of sram (arena 300.0 KB, weights 112.0 KB)"; "" if it fits

    std::string unstriped;  // why stripes do not fit, either; "": they do, or the device has none
};

// Has the device memory that partitions can be too large for? Not where the target's compiler decides: it divides them itself.
bool bounded(const Target& target, std::string_view device);

PartitionMemory memory_of(const Graph& graph, const Partition& partition, const Target& target);

}  // namespace quern::place
