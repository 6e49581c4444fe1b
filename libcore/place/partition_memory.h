// What a partition needs of its device's memory: how long each of its values is needed, and where they lie in one arena.
#pragma once

#include <string>
#include <vector>

#include "libcore/place/partition.h"

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
    uint64_t weight_bytes = 0;      // constants, as stored: they do not count towards the arena
    std::string memory;             // of the device; "": none is stated
    uint64_t memory_bytes = 0;      // 0: unbounded
    bool assumed = false;           // a shape has dims that are not known: counted as in cost.h

    bool fits() const { return memory_bytes == 0 || arena_bytes <= memory_bytes; }
    std::string misfit() const;  // "arena of 300.0 KB, but sram has 256.0 KB"; "" if it fits
};

PartitionMemory memory_of(const Graph& graph, const Partition& partition, const Target& target);

}  // namespace quern::place
