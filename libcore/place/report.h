// What placement decided, what it costs and why: as text, as the sidecar {"kind": "placement-report", "version": 1, ...}, as a picture of
// the graph coloured by device, and as a page that holds all of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/place/assign.h"
#include "libcore/place/partition_memory.h"
#include "libcore/place/schedule.h"

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

    std::optional<Schedule> schedule;  // of a target whose devices work at the same time
    size_t batches = 0;                // runs that follow each other, about which it is asked; 0: it is not

    PlacementReport(const Graph& graph, const Target& target, const Placement& placement, size_t batches = 0);

    double of_batches() const;  // seconds

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
        std::string device, check;
        std::vector<std::string> reasons, types, nodes;  // reasons: with the values met, without repetition
        double on_cpu = 0, there = 0;                    // seconds that the nodes take on cpu, and would take on the device
        double macs = 0;
        double time_share = 0, macs_share = 0;  // of the whole placement's
        std::string cause() const;              // the reason if there is one, else what they have in common
    };
    // Nodes on cpu because devices refuse them, by the check that does, those that take most there first; a node that goes with its unit
    // has the unit's cause.
    std::vector<Refusals> refusals() const;
};

std::string refusal_lines(const PlacementReport& report);  // of the text: one for each cause, "" if there is none
std::string report_text(const PlacementReport& report);
std::string report_json(const PlacementReport& report);
std::string report_svg(const PlacementReport& report);
std::string report_html(const PlacementReport& report);

// ---- what these share ----

inline std::string count_of_nodes(size_t count) { return std::to_string(count) + (count == 1 ? " node" : " nodes"); }

Json report_document(const PlacementReport& report);

// The graph for the page: a picture of its modules, and one of each module, which links lead to and from; nodes have the ids n<index>. At
// most `drawn_nodes` are in pictures.
std::string report_levels(const PlacementReport& report);
inline constexpr size_t drawn_nodes = 20'000;

}  // namespace quern::place
