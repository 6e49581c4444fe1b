// Calibrate: the costs of a target's devices from measured times of a model's nodes.
//
// Times are those of `run --profile --json`, or of a device's log in that form: {"profile": [{"node": "conv_1", "seconds": 2e-4, "calls":
// 10, "device": "npu", ...}]}. A time is of its node and of those that were computed with it and have none of their own: the rest of its
// integer unit, and what its kernel says that it took along. Each row of costs (target.h) that enough of them are about gets the figures
// that fit them best (fit.h); the others stay as they are.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/graph/op.h"
#include "libcore/place/target.h"

namespace quern::place {

struct NodeTime {
    std::string node;  // as in placement files
    std::string op;    // "": not said
    std::string kernel, device;
    std::string place;   // in the file: "profile[3]"
    double seconds = 0;  // of a call
};

// Throws Exit::bad_input naming the place.
std::vector<NodeTime> read_times(const Json& document);

constexpr size_t min_times = 3;  // of a row, by which it is fitted

struct Ratios {  // of modelled to measured times
    double median = 0, worst = 0;
};

struct RowFit {
    std::string device;
    size_t row = 0;    // of Device::costs
    size_t times = 0;  // below min_times: it stays as it is
    CostRow cost;      // fitted
    Ratios before, after;
    bool fitted() const { return times >= min_times; }
};

struct Calibration {
    std::vector<RowFit> rows;          // with at least one time, by device and place in its table
    size_t all_rows = 0;               // of the target
    size_t times = 0;                  // that count
    size_t without_time = 0;           // nodes
    std::vector<std::string> unknown;  // times that are of no node, a line each
    std::vector<std::string> unused;   // times of nodes that no row is about, a line each
    std::set<std::string> simulated;   // devices without a back end whose times a run of ours gave

    size_t fitted() const;
};

// Throws Exit::bad_input where most of the times are of no node of the graph.
Calibration calibrate(Graph& graph, const Target& target, const std::vector<NodeTime>& times);

// A line for each row, with its errors before and after.
std::string to_text(const Calibration& calibration, const Target& target);

// The document of a target (target_file.h) with the fitted rows, and a basis that says so; `model`: its name.
void write_costs(Json& document, const Calibration& calibration, const Target& target, const std::string& model);

}  // namespace quern::place
