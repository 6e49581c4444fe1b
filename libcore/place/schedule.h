// Schedule: when the partitions of a placement run on devices that work at the same time, and how fast runs can follow each other.
//
// Tasks are partitions and transfers of values, each on the device or link that does one of them at a time. List scheduling: of the tasks
// whose values are there, the one that can begin first is next; among equals the one with the longest way to the end, then the first.
// It takes at most the sum of all tasks, which is at most Placement::seconds, and need not be the shortest there is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/place/assign.h"

namespace quern::place {

struct Span {
    double start = 0, end = 0;  // seconds from the begin of a run
};

struct Task {
    size_t on = 0;  // the device or link, by number
    double seconds = 0;
    std::vector<size_t> after;  // tasks before it in the list
};

std::vector<Span> list_schedule(std::span<const Task> tasks);

struct Schedule {
    std::vector<Span> parts;  // by partition
    double makespan = 0;      // of one run, the caller's values brought and results taken away
    std::string busiest;      // "npu-a", "cpu to npu-a": what is at work longest in a run
    double busiest_seconds = 0;

    // Of runs that follow each other as fast as the busiest lets them.
    double of_batches(size_t count) const { return count ? makespan + static_cast<double>(count - 1) * busiest_seconds : 0; }
};

Schedule schedule_of(const Graph& graph, const Target& target, const Placement& placement);

}  // namespace quern::place
