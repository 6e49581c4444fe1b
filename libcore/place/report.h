// What placement decided, what it costs and why: as text, as the sidecar {"kind": "placement-report", "version": 1, ...}, as a picture of
// the graph coloured by device, and as a page that holds all of it.
#pragma once

#include <string>
#include <vector>

#include "libcore/place/assign.h"
#include "libcore/place/partition_memory.h"

namespace quern::place {

// All that the reports say. Holds references: graph, target and placement must outlive it.
struct PlacementReport {
    const Graph& graph;
    const Target& target;
    const Placement& placement;
    const Partitions& partitions;
    std::vector<PartitionMemory> memory;  // of each partition
    std::vector<Boundary> edges;
    std::vector<int> part_of;  // by node id of the graph

    PlacementReport(const Graph& graph, const Target& target, const Placement& placement);

    struct Share {
        size_t nodes = 0, partitions = 0;
        double compute = 0;  // seconds
        uint64_t arena = 0;  // of the partition that needs most
        uint64_t weights = 0;
    };
    std::vector<Share> shares() const;  // by Placement::devices
    double crossing_bytes() const;      // of values that go from one device to another
    size_t crossings() const;

    struct Refusals {
        std::string device, reason;
        std::vector<std::string> types, nodes;
        double on_cpu = 0, there = 0;  // seconds that the nodes take on cpu, and would take on the device
    };
    // Nodes on cpu because devices refuse them, by cause, the dearest first; a node that goes with its unit has the unit's cause.
    std::vector<Refusals> refusals() const;
};

std::string report_text(const PlacementReport& report);
std::string report_json(const PlacementReport& report);
std::string report_svg(const PlacementReport& report);
std::string report_html(const PlacementReport& report);

}  // namespace quern::place
