// The placement problem of a graph on a target (problem.h): one item for each unit (units.h), one for the caller's inputs and one for the
// results, both on cpu; a net for each value that is read elsewhere, and one for each encoded value that readers must decode.
//
// What a unit costs on a device is the sum of its nodes' (cost.h), and of encoding what it computes as real numbers. Constants are where
// they are read, their transfer costs nothing. A device's table may have no row for an operator; then its time there is assumed:
//     half of the time on cpu (onnx-mlir takes such operators to be faster on the accelerator, too), or, if cpu is the one without
//     a row, twice the longest time that is known; one microsecond on cpu and half of it elsewhere if no table has a row.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcore/place/problem.h"
#include "libcore/place/stripes.h"
#include "libcore/place/target.h"
#include "libcore/support/units.h"

namespace quern::place {

using namespace support;  // constraints, quantities and units

// A node on a device.
struct NodeOption {
    std::optional<double> seconds;   // by the device's table
    double counted = 0;              // seconds that count: by the table or assumed, and of encoding
    std::string refusal;             // why it cannot run there; "": it can
    std::string check;               // then: what refuses it, with those for whom the same holds
    std::optional<Stripes> stripes;  // in which its unit runs there; what they read again counts with the unit's first node
};

// A unit that the memory of a device does not hold, though nothing else is wrong with it.
struct TooLarge {
    NodeId node;  // at which it needs most
    size_t device;
    std::string need;
    bool asked = false;  // the device is the one that is asked for, or no other runs the unit
};

struct GraphProblem {
    Problem problem;
    Units units;
    std::vector<const Device*> devices;            // cpu first: the devices of the problem
    std::vector<std::vector<NodeOption>> options;  // by node id of the graph, by device; of its bodies' nodes, too, summed
    std::vector<std::string> bound;                // by unit: why its device is not open, "": it is
    std::vector<TooLarge> too_large;               // in the order of the units
    std::set<std::string> without_cost;            // "Gelu on npu-a": assumed times that counted
    std::set<std::string> free_links;              // "cpu to npu-a": transfers that the target says nothing of
};

// Node::device counts as fixed where it is set; the devices must be legal (legal.h). Wishes inside a unit that differ, or that another
// member's device refuses, end on cpu. What a device has not the memory for, as a partition of its own (partition_memory.h), it refuses;
// the host, too, if its memory is stated. A device with stripes (stripes.h) takes what fits in these, in the time that they take more.
GraphProblem problem_of(const Graph& graph, const Target& target);

double seconds_of(Ticks ticks);

}  // namespace quern::place
