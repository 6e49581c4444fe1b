// Partitions: the parts of a placed graph that back ends compile. Each is connected, on one device, and needs nothing that waits for it: in
// the order given, one after the other, they compute the graph. One that the memory of its device does not hold is cut into several, which
// need not be connected (memory_split.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/place/target.h"
#include "libcore/support/units.h"

namespace quern::place {

struct Partition {
    int id = 0;  // its place in the order
    std::string device;
    std::vector<NodeId> nodes;             // in a topological order; nodes of bodies belong to the node that holds them
    std::vector<ValueId> inputs, outputs;  // inputs by first use, outputs as made; constants are part of the partition
};

// A partition that its device's memory did not hold: its parts stand one after the other.
struct MemorySplit {
    std::string device;
    int first = 0, parts = 0;
    std::string why;   // "needs 412.0 KB of 256.0 KB of sram"
    std::string peak;  // the node at which the whole needs most
};
std::string to_string(const MemorySplit& split);  // partitions 1 to 3 on npu are one, split for memory: needs ..., most at "conv"

struct Partitions {
    std::vector<Partition> parts;
    size_t cyclic = 0;  // connected parts that waited for themselves through other devices
    size_t splits = 0;  // partitions that splitting those made more
    std::vector<MemorySplit> memory_splits;
};

// What goes into and out of partitions.
class Ends {
   public:
    explicit Ends(const Graph& graph);
    void find(Partition& part);  // sets inputs and outputs of its nodes

   private:
    const Graph& graph_;
    std::vector<std::vector<NodeId>> readers_;  // by value; none: the caller
    std::vector<size_t> stamp_;                 // by node: in the part of this number
    size_t now_ = 0;
};

// A graph of its own: the partition's inputs and outputs are the graph's, by their names and with their encodings; metadata are copied,
// constants share their bytes. A Softmax that would compute otherwise by the part alone has between_types_key (qlinear_forms.h).
Graph extract_partition(const Graph& graph, const Partition& partition);

// A value that goes from one partition to another, or from or to the model's caller.
struct Boundary {
    ValueId value = ValueId::none;
    int from = -1, to = -1;                   // partitions; -1: the caller
    std::string form;                         // what crosses: "float32", "int8 scale 0.02 zero 3"
    std::string maker_recodes;                // "" or the node that computes real numbers and encodes them here
    std::vector<std::string> reader_recodes;  // nodes that decode what they get, since they compute with real numbers
};

// All boundaries, in the order of the partitions that read. A value has one encoding, so both sides agree on the form. Throws
// Exit::bad_input where that would not hold: a value inside an integer unit, which is never stored.
std::vector<Boundary> boundaries(const Graph& graph, const std::vector<Partition>& parts);

}  // namespace quern::place
