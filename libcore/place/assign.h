// Assignment: a device for every node, by a heuristic or as the cheapest placement, and why.
//
// What Node::device names already is binding, cpu before all: no cost moves it. An integer unit goes as a whole to a device that all its
// members may use (the strictest member decides). The nodes of a body of control flow go where the node goes that holds the body: it runs
// on a device only if all of them do, and one that is bound to cpu binds it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/place/heuristics.h"
#include "libcore/place/partition.h"
#include "libcore/place/stripes.h"
#include "libcore/place/target.h"

namespace quern::place {

struct AssignOptions {
    std::optional<Heuristic> heuristic;  // none: the cheapest placement, or where the target's compiler decides all that can go goes
    std::map<std::string, std::string>
        sources;  // key of a node (nodes.h): what set its device, for reports ("p.json: device_placement[2]")
    std::map<std::string, std::string> refused;  // key of a node: a wish that was not granted, and why
};

inline constexpr std::string_view of_unit = " of its integer unit: ";  // in a refusal: whose constraint it is, before the reason

struct DeviceOption {                // of a device for a node
    std::optional<double> seconds;   // by its cost table; nullopt: it has no row
    double counted = 0;              // seconds that count in the placement (see graph_problem.h)
    std::string refusal;             // "": it can run there
    std::string check;               // then: what refuses it, without the values met
    std::optional<Stripes> stripes;  // in which its unit runs there
    std::optional<double> moved;     // seconds that the whole placement is dearer with the node's unit there and nothing else moved
};

struct Decision {
    std::string key, type;  // as in placement files: "conv_3", "onnx.Conv"
    NodeId node;            // in the top graph: itself, or the node that holds the body
    std::string device;
    std::string rule;                   // "min-cut", "asked for by ...", "no other device runs it", "in the body of ...", ...
    std::string refused;                // a wish that was not granted, and why
    std::vector<DeviceOption> choices;  // by Placement::devices; empty for nodes of bodies, which count with the node that holds them
    double transfer_in = 0, transfer_out = 0;  // seconds for values that cross to and from its device, each counted in full
    size_t together = 1;                       // nodes of its integer unit
};

struct Placement {
    std::string target, basis;
    std::vector<std::string> devices;  // cpu first
    Heuristic heuristic = Heuristic::min_cut;
    std::vector<Decision> decisions;                     // program order, nodes of bodies before the node that holds them
    double seconds = 0;                                  // of one run by the model: compute + transfers + changes of encoding
    double compute_seconds = 0;                          // by which nodes take, and encode what they make
    double memory_seconds = 0;                           // of it: values that wait on cpu between parts that memory splits
    double bound = 0;                                    // no legal placement takes less
    bool exact = false;                                  // `seconds` is the least there is, proven by the method
    bool measured = false;                               // the target's costs are, and none is assumed: else all times are estimates
    std::vector<std::pair<std::string, double>> others;  // what each heuristic would take, and cpu alone where that is legal
    std::vector<std::string> without_cost;               // "Gelu on npu-a": no row, an assumed time counts
    std::vector<std::string> free_links;                 // "cpu to npu-a": the target states no cost
    std::vector<std::string> too_large;                  // nodes that run elsewhere than they could for want of memory, a line each
    Partitions partitions;                               // of the graph as it was placed

    double gap() const { return seconds > 0 ? (seconds - bound) / seconds : 0; }
    std::string costs() const;  // "measured on ...", "estimate: ...": what its times are worth
    std::string proof() const;  // "the least there is", "at most 3.0 % above the least"; estimates are named as such
    const Decision* find(std::string_view key) const;
};

// Writes Node::device of every node, changes of encoding and nodes of bodies included. Throws Exit::no where a device that is asked for, or
// all of them, have not the memory for a node, with the memory that would do.
Placement assign(Graph& graph, const Target& target, const AssignOptions& options = {});

// Some lines on one node: its device, the rule, and for each device its time, what moving would cost, or the refusal. Throws Exit::usage
// with a suggestion if there is none of that name.
std::string explain(const Placement& placement, std::string_view key);
std::string explain(const Placement& placement, const Decision& decision);

}  // namespace quern::place
