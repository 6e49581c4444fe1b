// Slots: what of a graph can be observed, and what of that has to be measured.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/graph/questions.h"

namespace quern {

// A value whose statistics follow from those of another slot's: Relu and Clip of it.
struct Clipped {
    size_t source;
    Bounds bounds;
};

struct Slot {
    std::string key;
    bool floating;                   // has statistics
    int axis;                        // of per-channel extremes
    size_t body;                     // index in Slots::bodies
    bool mask;                       // may hold minus infinity
    std::optional<Clipped> clipped;  // is not measured itself
    size_t measured_at(size_t own) const { return clipped ? clipped->source : own; }
};

// Every value of a graph and its bodies that is no constant, by key.
struct Slots {
    std::vector<Slot> slots;
    std::vector<std::string> bodies;  // "" and "node/body"
    std::unordered_map<std::string, size_t> by_key;

    // `masks`: keys of values in which minus infinity is meant, beside those of mask_values().
    Slots(const Graph& graph, bool per_channel, const std::vector<std::string>& masks);

   private:
    void add_values(const Graph& graph, const std::string& path, bool per_channel);
    void find_clipped(const Graph& graph, const std::string& path);
};

// The axis of per-channel extremes: 1 beside convolutions, pools and in rank 4 and above, else the last; -1 below rank 2.
int channel_axis(const Graph& graph, ValueId id);

}  // namespace quern
