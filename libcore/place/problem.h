// Problem: placement as numbers. Items (groups of nodes that stay together) each go to one device; nets say what it costs when what an
// item makes is read on other devices.
//
//     cost of a placement = sum over items of the item's time on its device
//                         + sum over nets, over the devices (each once) on which a reader sits, of net.cost
//
// Times are whole picoseconds: comparisons are exact and do not depend on the order of additions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quern::place {

using Ticks = int64_t;  // picoseconds

constexpr double ticks_per_second = 1e12;

struct Item {
    std::vector<Ticks> cost;    // by device
    std::vector<bool> allowed;  // by device; at least one
    bool neutral = false;       // where it runs does not count as a reason for its neighbours in the WSU heuristics
    std::vector<bool> unknown;  // by device: there is no model of its time, `cost` is assumed
};

// What `from` makes is read by `to`. cost[f * devices + d]: `from` sits on f and a reader on d, 0 where f = d. Without `from` (-1),
// cost[d]: a reader sits on d.
struct Net {
    int from = -1;
    std::vector<int> to;
    std::vector<Ticks> cost;
};

struct Problem {
    size_t devices = 1;  // device 0 is cpu
    std::vector<Item> items;
    std::vector<Net> nets;
};

using Labels = std::vector<size_t>;  // the device of each item

Ticks price(const Problem& problem, const Labels& labels);
// The cheapest allowed device of each item, transfers apart; the first among equals.
Labels cheapest(const Problem& problem);
// Devices that at least one item may use, ascending.
std::vector<size_t> used_devices(const Problem& problem);

}  // namespace quern::place
